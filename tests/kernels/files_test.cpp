#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

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
  [[nodiscard]] Named path(const char* name) const { return {{"path", (folder_ / name).string()}}; }

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

}  // namespace
}  // namespace penstock::kernels
