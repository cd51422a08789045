#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "penstock-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

TEST(RuntimeArray, HoldsWhatItsOriginSays) {
  Runtime runtime;

  const auto zero = runtime.array<double>({3}, zeros());
  const auto one = runtime.array<std::int32_t>({2, 2}, ones());
  const auto half = runtime.array<float>({2}, fill(0.5));
  const auto counted = runtime.array<I64>({2, 3}, iota());

  EXPECT_THAT(values(runtime.read(zero)), Each(0.0));
  EXPECT_THAT(values(runtime.read(one)), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(values(runtime.read(half)), ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(values(runtime.read(counted)), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(RuntimeArray, IsUniformBySeedAlone) {
  Runtime first(Options{.workers = 1});
  Runtime second(Options{.workers = 3});

  const auto left = first.read(first.array<float>({1000}, uniform(7, -1.0, 1.0)));
  const auto right = second.read(second.array<float>({1000}, uniform(7, -1.0, 1.0)));
  const auto other = second.read(second.array<float>({1000}, uniform(8, -1.0, 1.0)));

  EXPECT_TRUE(std::ranges::equal(left, right));
  EXPECT_FALSE(std::ranges::equal(left, other));
}

TEST(RuntimeArray, MayBeAScalar) {
  Runtime runtime;
  const auto scalar = runtime.array<I64>(Shape{}, fill(20));

  runtime.submit(add_to, read_write(scalar), 3);

  const auto view = runtime.read(scalar);
  EXPECT_THAT(values(view), ElementsAre(23));
  EXPECT_EQ(view.shape().dimensions(), 0U);
}

TEST(RuntimeArray, MayBeEmpty) {
  Runtime runtime;
  const auto empty = runtime.array<I64>({4, 0, 2}, iota());
  const auto other = runtime.array<I64>({0});

  runtime.submit(copy, write(other), read(empty));
  runtime.submit(add_to, read_write(other), 1);

  EXPECT_THAT(values(runtime.read(empty)), SizeIs(0));
  EXPECT_THAT(values(runtime.read(other)), SizeIs(0));
  EXPECT_EQ(runtime.read(empty).shape(), (Shape{4, 0, 2}));
}

TEST(RuntimeArray, GoesThroughAFile) {
  const TemporaryFolder folder;
  Runtime runtime;
  const auto saved = runtime.array<double>({5, 7}, uniform(3));

  runtime.save(saved, folder.file("a.npy"));
  runtime.wait_all();
  const auto loaded = runtime.array<double>({5, 7}, file(folder.file("a.npy")));

  EXPECT_TRUE(std::ranges::equal(runtime.read(saved), runtime.read(loaded)));
}

TEST(RuntimeArray, SavesTheVersionAsOfNow) {
  const TemporaryFolder folder;
  Runtime runtime;
  Gate gate;
  const auto data = runtime.array<I64>({2});
  runtime.submit(through_gate, write(data), gate.number());

  runtime.save(data, folder.file("before.npy"));
  runtime.submit(set_to, write(data), 9);
  runtime.save(data, folder.file("after.npy"));
  gate.open();
  runtime.wait_all();

  EXPECT_THAT(values(runtime.read(runtime.array<I64>({2}, file(folder.file("before.npy"))))), Each(1));
  EXPECT_THAT(values(runtime.read(runtime.array<I64>({2}, file(folder.file("after.npy"))))), Each(9));
}

TEST(RuntimeArray, OfAFileThatIsNotThereFailsWhereItIsRead) {
  Runtime runtime;
  const auto missing = runtime.array<I64>({2}, file("/proc/nowhere/all.npy"));

  const auto error = thrown_by<TaskError>([&] { static_cast<void>(runtime.read(missing)); });

  EXPECT_THAT(error.what(), HasSubstr("load"));
  EXPECT_THAT(error.what(), HasSubstr("/proc/nowhere/all.npy"));
}

TEST(RuntimeArray, IsMultipliedInPanels) {
  Runtime runtime(Options{.workers = 3});
  const auto a = runtime.array<float>({101, 64}, uniform(1, -1.0, 1.0));
  const auto b = runtime.array<float>({64, 53}, uniform(2, -1.0, 1.0));
  const auto whole = runtime.array<float>({101, 53});
  const auto panels = runtime.array<float>({101, 53});

  runtime.submit(gemm, read(a), read(b), write(whole));
  for (const int count : {2, 3, 7, 200}) runtime.submit(gemm, read(a), read(b), write(panels), cores(count));

  const auto expected = runtime.read(whole);
  const auto actual = runtime.read(panels);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 1e-4) << i;
}

}  // namespace

}  // namespace penstock::tests
