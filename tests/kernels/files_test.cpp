#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include <penstock/error.hpp>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

namespace penstock::kernels {
namespace {

class Files : public testing::Test {
 protected:
  Files()
      : folder_(std::filesystem::temp_directory_path() /
                ("penstock_files_" + std::to_string(::getpid()) + '_' +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] Named path(const char* name) const { return {{"path", file(name)}}; }
  [[nodiscard]] Named part(const char* name, std::int64_t row, std::int64_t column) const {
    return {{"path", file(name)}, {"part", true}, {"row", row}, {"column", column}};
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Files, LoadBringsBackWhatSaveWrote) {
  HostArray saved = HostArray::of<std::int64_t>({2, 3}, {1, -2, 3, -4, 5, -6});
  HostArray loaded(DType::i64, {2, 3});

  call(save_kernel(), {&saved}, path("x.npy"));
  call(load_kernel(), {&loaded}, path("x.npy"));

  EXPECT_EQ(loaded.values<std::int64_t>(), saved.values<std::int64_t>());
}

TEST_F(Files, LoadRefusesAnotherShapeAndDtype) {
  HostArray saved = HostArray::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  HostArray other_shape(DType::f32, {3, 2});
  HostArray other_dtype(DType::f64, {2, 3});

  call(save_kernel(), {&saved}, path("x.npy"));

  EXPECT_THROW(call(load_kernel(), {&other_shape}, path("x.npy")), Error);
  EXPECT_THROW(call(load_kernel(), {&other_dtype}, path("x.npy")), Error);
}

TEST_F(Files, LoadNamesAFileThatIsNotThere) {
  HostArray x(DType::f32, {2});

  try {
    call(load_kernel(), {&x}, path("absent.npy"));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("absent.npy"));
  }
}

TEST_F(Files, LoadTakesABlockOfAMatrix) {
  HostArray whole(DType::i32, {6, 8});
  HostArray block(DType::i32, {2, 3});
  call(iota_kernel(), {&whole});
  call(save_kernel(), {&whole}, path("x.npy"));

  call(load_kernel(), {&block}, part("x.npy", 4, 5));

  EXPECT_THAT(block.values<std::int32_t>(), testing::ElementsAre(37, 38, 39, 45, 46, 47));
}

TEST_F(Files, LoadTakesAStretchOfAVector) {
  HostArray whole(DType::f64, {10});
  HostArray stretch(DType::f64, {4});
  call(iota_kernel(), {&whole});
  call(save_kernel(), {&whole}, path("x.npy"));

  call(load_kernel(), {&stretch}, part("x.npy", 6, 0));

  EXPECT_THAT(stretch.values<double>(), testing::ElementsAre(6, 7, 8, 9));
}

TEST_F(Files, LoadSaysWhatTheFileHoldsWhereThereIsNoSuchBlock) {
  HostArray whole(DType::i32, {6, 8});
  HostArray block(DType::i32, {2, 3});
  HostArray other_dtype(DType::i64, {2, 3});
  HostArray vector(DType::i32, {2});
  call(save_kernel(), {&whole}, path("x.npy"));
  const std::string holds = file("x.npy") + ": holds i32 [6, 8], which has no block ";

  EXPECT_EQ(error_of([&] { call(load_kernel(), {&block}, part("x.npy", 5, 0)); }),
            holds + "i32 [2, 3] at row 5, column 0");
  EXPECT_EQ(error_of([&] { call(load_kernel(), {&block}, part("x.npy", 0, 6)); }),
            holds + "i32 [2, 3] at row 0, column 6");
  EXPECT_EQ(error_of([&] { call(load_kernel(), {&other_dtype}, part("x.npy", 0, 0)); }),
            holds + "i64 [2, 3] at row 0, column 0");
  EXPECT_EQ(error_of([&] { call(load_kernel(), {&vector}, part("x.npy", 0, 0)); }),
            holds + "i32 [2] at row 0, column 0");
}

TEST_F(Files, LoadRefusesPlacesBeforeAnythingIsRead) {
  HostArray matrix(DType::i32, {2, 3});
  HostArray vector(DType::i32, {2});
  HostArray cube(DType::i32, {2, 2, 2});

  EXPECT_EQ(error_of([&] { call(load_kernel(), {&matrix}, part("x.npy", -1, 0)); }),
            "load: row is -1, but needs to be 0 or more");
  EXPECT_EQ(error_of([&] { call(load_kernel(), {&matrix}, part("x.npy", 0, -2)); }),
            "load: column is -2, but needs to be 0 or more");
  EXPECT_EQ(error_of([&] { call(load_kernel(), {&vector}, part("x.npy", 0, 1)); }),
            "load: column is 1, but x is [2] i32: with one extent it is 0");
  EXPECT_EQ(error_of([&] { call(load_kernel(), {&cube}, part("x.npy", 0, 0)); }),
            "load: x is [2, 2, 2] i32, but a block has one or two extents");
  EXPECT_EQ(error_of([&] {
              call(load_kernel(), {&matrix}, {{"path", file("x.npy")}, {"row", std::int64_t{1}}});
            }),
            "load: row is 1 and column is 0, but part is false: the whole array begins at 0, 0");
}

}  // namespace
}  // namespace penstock::kernels
