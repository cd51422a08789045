// save_part and publish.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "npy/temporary_folder.hpp"

namespace penstock::kernels {
namespace {

using testing::HasSubstr;

class FileParts : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const char* name = "x.npy") const { return folder_.file(name); }
  [[nodiscard]] Named part(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t column) const {
    return {{"path", file()}, {"rows", rows}, {"columns", columns}, {"row", row}, {"column", column}};
  }
  [[nodiscard]] Named whole(std::int64_t elements) const { return {{"path", file()}, {"elements", elements}}; }

  test::TemporaryFolder folder_;
};

/// x as a block of iota, written; the elements written.
std::int64_t save_block(const Shape& shape, std::int64_t columns, const Named& place, std::int64_t first) {
  HostArray x(DType::f32, shape);
  HostArray written(DType::i64, {1});
  call(iota_kernel(), {&x}, {{"first", first}, {"row_stride", shape.dimensions() == 2 ? columns : 0}});
  call(save_part_kernel(), {&x, &written}, place);
  return written.as<std::int64_t>()[0];
}

void publish(std::int64_t written, const Named& whole) {
  HostArray count = HostArray::of<std::int64_t>({1}, {written});
  call(publish_kernel(), {&count}, whole);
}

std::vector<float> counted(std::int64_t count) {
  HostArray x(DType::f32, {count});
  call(iota_kernel(), {&x});
  return x.values<float>();
}

TEST_F(FileParts, BlocksOfAMatrixBecomeOneFile) {
  constexpr std::int64_t rows = 23;
  constexpr std::int64_t columns = 17;
  constexpr std::int64_t side = 5;
  std::int64_t written = 0;
  for (std::int64_t row = rows / side * side; row >= 0; row -= side) {  // the first block last
    for (std::int64_t column = 0; column < columns; column += side) {
      const Shape shape{std::min(side, rows - row), std::min(side, columns - column)};
      written += save_block(shape, columns, part(rows, columns, row, column), row * columns + column);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(file()));

  publish(written, whole(rows * columns));

  HostArray x(DType::f32, {rows, columns});
  call(load_kernel(), {&x}, {{"path", file()}});
  EXPECT_EQ(x.values<float>(), counted(rows * columns));
  EXPECT_FALSE(std::filesystem::exists(file("x.npy.partial")));
}

TEST_F(FileParts, StretchesOfAVectorBecomeOneFile) {
  std::int64_t written = save_block({7}, 0, part(12, 0, 5, 0), 5);
  written += save_block({5}, 0, part(12, 0, 0, 0), 0);

  publish(written, whole(12));

  HostArray x(DType::f32, {12});
  call(load_kernel(), {&x}, {{"path", file()}});
  EXPECT_EQ(x.values<float>(), counted(12));
}

TEST_F(FileParts, ManyTasksWriteAtOnce) {
  constexpr std::int64_t rows = 64;
  constexpr std::int64_t columns = 96;
  {
    std::vector<std::jthread> threads;
    for (std::int64_t column = 0; column < columns; column += 12) {
      threads.emplace_back([&, column] {
        for (std::int64_t row = 0; row < rows; row += 8) {
          save_block({8, 12}, columns, part(rows, columns, row, column), row * columns + column);
        }
      });
    }
  }

  publish(rows * columns, whole(rows * columns));

  HostArray x(DType::f32, {rows, columns});
  call(load_kernel(), {&x}, {{"path", file()}});
  EXPECT_EQ(x.values<float>(), counted(rows * columns));
}

TEST_F(FileParts, MissingElementsAreNotPublished) {
  const std::int64_t written = save_block({7}, 0, part(12, 0, 5, 0), 5);

  const std::string error = error_of([&] { publish(written, whole(12)); });

  EXPECT_EQ(error, file() + ": 7 elements were written, but 12 are the whole array");
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(FileParts, AFailedPublishKeepsTheOldFile) {
  HostArray old = HostArray::of<float>({2}, {1, 2});
  call(save_kernel(), {&old}, {{"path", file()}});
  save_block({7}, 0, part(12, 0, 5, 0), 5);

  EXPECT_NE(error_of([&] { publish(7, whole(12)); }), "");

  HostArray x(DType::f32, {2});
  call(load_kernel(), {&x}, {{"path", file()}});
  EXPECT_EQ(x.values<float>(), old.values<float>());
}

TEST_F(FileParts, RefusesBlocksThatTheWholeHasNot) {
  HostArray x(DType::f32, {3, 4});
  HostArray vector(DType::f32, {3});
  HostArray written(DType::i64, {1});
  HostArray two(DType::i64, {2});
  const auto fault = [&](HostArray& array, HostArray& count, const Named& place) {
    return error_of([&] { call(save_part_kernel(), {&array, &count}, place); });
  };

  EXPECT_EQ(fault(x, written, part(10, 10, 8, 0)),
            "save_part: x is [3, 4] f32, but [10, 10] (rows and columns) has no such block at row 8, column 0");
  EXPECT_EQ(fault(x, written, part(10, 10, 0, 7)),
            "save_part: x is [3, 4] f32, but [10, 10] (rows and columns) has no such block at row 0, column 7");
  EXPECT_EQ(fault(x, written, part(10, 0, 0, 0)),
            "save_part: x is [3, 4] f32, but [10] (rows and columns) has no such block at row 0, column 0");
  EXPECT_EQ(fault(vector, written, part(10, 0, 8, 0)),
            "save_part: x is [3] f32, but [10] (rows and columns) has no such block at row 8, column 0");
  EXPECT_EQ(fault(x, written, part(10, 10, -1, 0)), "save_part: row is -1, but needs to be 0 or more");
  EXPECT_EQ(fault(x, written, part(-10, 10, 0, 0)), "save_part: rows is -10, but needs to be 0 or more");
  EXPECT_EQ(fault(x, written, part(10, -10, 0, 0)), "save_part: columns is -10, but needs to be 0 or more");
  EXPECT_THAT(fault(x, written, part(std::int64_t{1} << 40, std::int64_t{1} << 40, 0, 0)), HasSubstr("save_part: "));
  EXPECT_EQ(fault(x, two, part(10, 10, 0, 0)), "save_part: written is [2] i64, but needs to be one element: [] or [1]");
  EXPECT_EQ(error_of([&] { publish(0, whole(-1)); }), "publish: elements is -1, but needs to be 0 or more");
}

}  // namespace
}  // namespace penstock::kernels
