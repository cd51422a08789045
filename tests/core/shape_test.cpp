#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

namespace penstock {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

ErrorCode refusal(const std::vector<std::int64_t>& extents) {
  try {
    static_cast<void>(Shape(std::span(extents)));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::bad_job;
}

TEST(Shape, OfNoExtentsIsAScalar) {
  const Shape scalar;

  EXPECT_EQ(scalar.count(), 1);
  EXPECT_EQ(scalar.dimensions(), 0u);
  EXPECT_EQ(scalar.to_string(), "[]");
}

TEST(Shape, CountsItsElements) {
  const Shape shape{3, 4, 5};

  EXPECT_EQ(shape.count(), 60);
  EXPECT_EQ(shape[1], 4);
  EXPECT_EQ(shape.to_string(), "[3, 4, 5]");
  EXPECT_EQ((ArrayType{DType::f64, shape}.bytes()), 480);
  EXPECT_EQ((ArrayType{DType::i32, shape}.bytes()), 240);
}

TEST(Shape, MayBeEmpty) {
  EXPECT_EQ((Shape{0}).count(), 0);
  EXPECT_EQ((Shape{7, 0, 9}).count(), 0);
}

TEST(Shape, ComparesWithoutRegardToUnusedExtents) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE(Shape(), (Shape{0}));
}

TEST(Shape, TakesTheLargestThatFits) {
  const std::int64_t most = largest / 8;

  EXPECT_EQ((Shape{most}).count(), most);
  EXPECT_EQ((ArrayType{DType::i64, Shape{most}}.bytes()), most * 8);
}

TEST(Shape, RefusesWhatOverflows) {
  EXPECT_EQ(refusal({largest / 8 + 1}), ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({largest}), ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({std::int64_t{1} << 32, std::int64_t{1} << 32}), ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({std::int64_t{1} << 20, std::int64_t{1} << 20, std::int64_t{1} << 20}),
            ErrorCode::invalid_argument);
}

TEST(Shape, RefusesWhatOverflowsEvenIfAnExtentIsNought) {
  EXPECT_EQ(refusal({0, largest}), ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({largest, 0}), ErrorCode::invalid_argument);
}

TEST(Shape, RefusesNegativeExtents) {
  EXPECT_EQ(refusal({-1}), ErrorCode::invalid_argument);
  EXPECT_EQ(refusal({2, std::numeric_limits<std::int64_t>::min()}), ErrorCode::invalid_argument);
}

TEST(Shape, HasAtMostEightExtents) {
  EXPECT_EQ(Shape(std::span<const std::int64_t>(std::vector<std::int64_t>(8, 2))).count(), 256);
  EXPECT_EQ(refusal(std::vector<std::int64_t>(9, 1)), ErrorCode::invalid_argument);
}

TEST(DType, HasItsNameAndSize) {
  EXPECT_EQ(name_of(DType::f32), "f32");
  EXPECT_EQ(name_of(DType::i64), "i64");
  EXPECT_EQ(size_of(DType::i32), 4u);
  EXPECT_EQ(size_of(DType::f64), 8u);
}

}  // namespace
}  // namespace penstock
