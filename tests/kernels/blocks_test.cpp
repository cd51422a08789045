// Blocks of a larger array: iota, uniform and normal make bit for bit what the whole has there.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "kernels/philox.hpp"

namespace penstock::kernels {
namespace {

constexpr std::int64_t rows = 83;
constexpr std::int64_t columns = 317;

Named with_place(Named parameters, std::int64_t first, std::int64_t row_stride) {
  parameters.emplace_back("first", first);
  parameters.emplace_back("row_stride", row_stride);
  return parameters;
}

/// All blocks begin and end anywhere, odd places included, and are made in several panels.
template <class T>
void expect_blocks_of(const KernelDescription& kernel, const Named& parameters) {
  HostArray whole(dtype_of<T>, {rows, columns});
  call(kernel, {&whole}, parameters);
  std::mt19937_64 random(4);
  const auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random()) % limit; };
  for (int trial = 0; trial < 300; ++trial) {
    const std::int64_t row = std::abs(below(rows));
    const std::int64_t column = std::abs(below(columns));
    const Shape shape{1 + std::abs(below(rows - row)), 1 + std::abs(below(columns - column))};
    const int panels = 1 + trial % 5;
    HostArray block(dtype_of<T>, shape);

    call(kernel, {&block}, with_place(parameters, row * columns + column, columns), panels);

    for (std::int64_t i = 0; i < shape[0]; ++i) {
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        ASSERT_EQ(block.as<T>()[static_cast<std::size_t>(i * shape[1] + j)],
                  whole.as<T>()[static_cast<std::size_t>((row + i) * columns + column + j)])
            << shape.to_string() << " at " << row << ", " << column << " in " << panels << " panels: " << i << ", "
            << j;
      }
    }
  }
}

/// Contiguous blocks, of any shape, begin anywhere.
template <class T>
void expect_stretches_of(const KernelDescription& kernel, const Named& parameters) {
  HostArray whole(dtype_of<T>, {1000});
  call(kernel, {&whole}, parameters);
  for (std::int64_t first = 0; first < 300; ++first) {
    HostArray block(dtype_of<T>, {7, 11, 9});

    call(kernel, {&block}, with_place(parameters, first, 0), 1 + static_cast<int>(first % 4));

    const auto begin = whole.as<T>().begin() + first;
    ASSERT_EQ(block.values<T>(), std::vector<T>(begin, begin + 693)) << "from " << first;
  }
}

template <class T>
class Blocks : public testing::Test {};
using ElementTypes = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Blocks, ElementTypes);

const Named uniform_parameters{{"seed", std::int64_t{42}}, {"low", -100.0}, {"high", 900.0}};
const Named normal_parameters{{"seed", std::int64_t{42}}, {"mean", 1.0}, {"deviation", 3.0}};

TYPED_TEST(Blocks, OfIotaAreThoseOfTheWhole) {
  expect_blocks_of<TypeParam>(iota_kernel(), {});
  expect_stretches_of<TypeParam>(iota_kernel(), {});
}

TYPED_TEST(Blocks, OfUniformAreThoseOfTheWhole) {
  expect_blocks_of<TypeParam>(uniform_kernel(), uniform_parameters);
  expect_stretches_of<TypeParam>(uniform_kernel(), uniform_parameters);
}

TYPED_TEST(Blocks, OfNormalAreThoseOfTheWhole) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    expect_blocks_of<TypeParam>(normal_kernel(), normal_parameters);
    expect_stretches_of<TypeParam>(normal_kernel(), normal_parameters);
  }
}

/// One word of a counter as i32 of the whole range.
std::int32_t word_of(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t counter = index / 4;
  PhiloxBlock<1> block{{{static_cast<std::uint32_t>(counter)}, {static_cast<std::uint32_t>(counter >> 32)}, {0}, {0}}};
  philox4x32_10(block, {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return static_cast<std::int32_t>(block.word[index % 4][0] - 0x80000000U);
}

/// The lower word of the counter runs over within a block of numbers.
TEST(UniformBlocks, CarryIntoTheUpperWordOfTheCounter) {
  const std::int64_t turn = std::int64_t{1} << 34;
  for (const std::int64_t first : {turn - 1, turn - 5, turn - 33, turn - 64, turn - 100, 3 * turn - 64, 5 * turn}) {
    HostArray x(DType::i32, {300});

    call(uniform_kernel(), {&x}, {{"seed", std::int64_t{9}}, {"low", -0x1p31}, {"high", 0x1p31}, {"first", first}});

    for (std::int64_t i = 0; i < 300; ++i) {
      ASSERT_EQ(x.as<std::int32_t>()[static_cast<std::size_t>(i)], word_of(9, static_cast<std::uint64_t>(first + i)))
          << first << " + " << i;
    }
  }
}

TEST(IotaBlocks, CountFarBeyondThirtyTwoBits) {
  HostArray x(DType::i64, {2, 2});

  call(iota_kernel(), {&x}, with_place({}, std::int64_t{1} << 60, std::int64_t{1} << 61));

  EXPECT_EQ(x.as<std::int64_t>()[3], (std::int64_t{1} << 60) + (std::int64_t{1} << 61) + 1);
}

TEST(BlockChecks, RefusePlacesThatNoWholeHas) {
  HostArray matrix(DType::f32, {2, 3});
  HostArray vector(DType::f32, {3});
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto fault = [](HostArray& x, std::int64_t first, std::int64_t row_stride) {
    return error_of([&] { call(iota_kernel(), {&x}, with_place({}, first, row_stride)); });
  };

  EXPECT_EQ(fault(vector, -1, 0), "iota: first is -1, but needs to be 0 or more");
  EXPECT_EQ(fault(vector, 0, 3),
            "iota: row_stride is 3, but x is [3] f32: only blocks of two extents have rows in a whole");
  EXPECT_EQ(fault(matrix, 0, 2),
            "iota: row_stride is 2, but x is [2, 3] f32: it needs to be 0 or at least the columns");
  EXPECT_EQ(fault(matrix, 0, -4),
            "iota: row_stride is -4, but x is [2, 3] f32: it needs to be 0 or at least the columns");
  EXPECT_EQ(fault(vector, most - 1, 0),
            "iota: first is 9223372036854775806 and row_stride is 0, but indices of [3] f32 need to stay below 2^63 "
            "there");
  EXPECT_EQ(fault(matrix, 0, most),
            "iota: first is 0 and row_stride is 9223372036854775807, but indices of [2, 3] f32 need to stay below 2^63 "
            "there");
  EXPECT_EQ(fault(vector, most - 2, 0), "");
  EXPECT_EQ(fault(matrix, most - 1 - 2 - 5, 5), "");
}

TEST(BlockChecks, RefuseNumbersThatSmallIntegersDoNotReach) {
  HostArray x(DType::i32, {2, 3});

  EXPECT_EQ(error_of([&] { call(iota_kernel(), {&x}, with_place({}, 2147483640, 10)); }),
            "iota: x is [2, 3] i32 and its last element would be 2147483652, but i32 counts to 2147483647 only");
  EXPECT_EQ(error_of([&] { call(iota_kernel(), {&x}, with_place({}, 2147483635, 10)); }), "");
}

TEST(BlockChecks, AreMadeForRandomNumbersToo) {
  HostArray x(DType::f32, {2, 3});

  EXPECT_EQ(error_of([&] {
              call(uniform_kernel(), {&x}, with_place({{"seed", std::int64_t{1}}}, -1, 0));
            }),
            "uniform: first is -1, but needs to be 0 or more");
  EXPECT_EQ(error_of([&] {
              call(normal_kernel(), {&x}, with_place({{"seed", std::int64_t{1}}}, 0, 1));
            }),
            "normal: row_stride is 1, but x is [2, 3] f32: it needs to be 0 or at least the columns");
}

TEST(BlockChecks, EmptyBlocksMakeNothing) {
  HostArray x(DType::f32, {0, 3});

  EXPECT_EQ(error_of([&] { call(uniform_kernel(), {&x}, with_place({{"seed", std::int64_t{1}}}, 5, 7), 3); }), "");
}

}  // namespace
}  // namespace penstock::kernels
