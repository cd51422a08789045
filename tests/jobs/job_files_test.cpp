#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/test_kernels.hpp"
#include "npy/file.hpp"

namespace penstock::jobs::test {
namespace {

const std::filesystem::path jobs_folder = PENSTOCK_JOBS;

std::vector<float> matrix(const std::string& name, const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  npy::read_into((jobs_folder / "data" / name).string(), {DType::f32, shape},
                 std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(JobFiles, MatmulMultiplies64PairsAndSavesThem) {
  const Totals totals = Job::load(JobText(jobs_folder / "matmul.toml"), kernels()).totals();

  EXPECT_EQ(totals.tasks, 64);
  EXPECT_EQ(totals.saves, 64);
  EXPECT_EQ(totals.origin_tasks, 65);
}

TEST(JobFiles, MatmulLargeMakesItsMatricesFromSeeds) {
  const Job job = Job::load(JobText(jobs_folder / "matmul-large.toml"), kernels());

  EXPECT_EQ(job.totals().tasks, 64);
  EXPECT_EQ(job.totals().task_bytes_max, 12'000'000);
  EXPECT_EQ(job.name(), "matmul-large");
}

TEST(JobFiles, IncrementsAreAHundredThousandTasks) {
  const Totals totals = Job::load(JobText(jobs_folder / "increments.toml"), kernels()).totals();

  EXPECT_EQ(totals.tasks, 100'000);
  EXPECT_EQ(totals.data, 1000);
  EXPECT_EQ(totals.saves, 4);
}

TEST(JobFiles, ReferenceProductsAreThoseOfTheMatrices) {
  const auto a = matrix("a_07.npy", {96, 80});
  const auto b = matrix("b.npy", {80, 64});
  const auto c = matrix("c_07.npy", {96, 64});

  for (std::size_t row = 0; row < 96; ++row) {
    for (std::size_t column = 0; column < 64; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < 80; ++k) sum += a[row * 80 + k] * b[k * 64 + column];
      ASSERT_EQ(sum, c[row * 64 + column]) << row << ' ' << column;
    }
  }
}

}  // namespace
}  // namespace penstock::jobs::test
