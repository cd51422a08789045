/// What the summary is made of: levels, the table of live data, and the text of a task.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "jobs/datum_table.hpp"
#include "jobs/levels.hpp"
#include "jobs/task_text.hpp"
#include "jobs/test_kernels.hpp"
#include "support/random.hpp"

namespace penstock::jobs::test {
namespace {

constexpr auto bins_max = static_cast<std::int64_t>(Levels::bins_max);

TEST(Levels, AreCountedOneByOneUpToTheirLimit) {
  Levels levels;
  for (const std::int64_t level : {1, 2, 2, 2, 3}) levels.add(level);
  levels.add(bins_max);

  EXPECT_EQ(levels.depth(), bins_max);
  EXPECT_EQ(levels.levels_per_bin(), 1);
  EXPECT_EQ(levels.width(), 3);
}

TEST(Levels, BeyondTheLimitNeighboursAreCountedTogether) {
  Levels levels;
  for (int i = 0; i < 5; ++i) levels.add(1);
  for (int i = 0; i < 2; ++i) levels.add(2);
  levels.add(3);
  EXPECT_EQ(levels.width(), 5);

  levels.add(bins_max + 1);
  EXPECT_EQ(levels.levels_per_bin(), 2);
  EXPECT_EQ(levels.width(), 4) << "7 tasks on two levels, rounded up";

  levels.add(4 * bins_max);
  EXPECT_EQ(levels.levels_per_bin(), 4);
  EXPECT_EQ(levels.depth(), 4 * bins_max);
  EXPECT_EQ(levels.width(), 2) << "8 tasks on four levels";
}

TEST(Levels, OfNothingAreNone) {
  EXPECT_EQ(Levels().depth(), 0);
  EXPECT_EQ(Levels().width(), 0);
}

TEST(DatumTable, KeepsTheValuesOfLiveData) {
  support::Random random(7);
  std::map<std::pair<std::uint32_t, std::int64_t>, std::uint64_t> expected;
  DatumTable<std::uint64_t> table;

  for (int i = 0; i < 20'000; ++i) {
    const Datum datum{static_cast<std::uint32_t>(random.below(3)), static_cast<std::int64_t>(random.below(500))};
    const std::pair key(datum.family, datum.element);
    if (!expected.contains(key)) {
      expected[key] = random.bits();
      table.insert(datum, expected[key]);
    } else if (random.chance(50)) {
      expected.erase(key);
      table.erase(datum);
    } else {
      ++expected[key];
      ++table.at(datum);
    }
  }

  for (const auto& [key, value] : expected) EXPECT_EQ(table.at({key.first, key.second}), value);
}

TEST(TaskText, HasReadsBeforeTheArrowAndWritesBehindIt) {
  const JobFolder folder(
      "data.A = { for = 'i in 0..4', shape = [2], dtype = 'f32', origin = 'ones' }\n"
      "task = [ { kernel = 'increment', read_write = ['A[1]'] } ]");
  const Job job = folder.load();
  const std::vector<DatumAccess> accesses{
      {{0, 2}, AccessMode::read}, {{0, 0}, AccessMode::write}, {{0, 3}, AccessMode::read_write}};
  Step step;
  step.kernel = kernels().front();
  step.place = {"jobs/x.toml", 12};

  step.accesses = accesses;
  EXPECT_EQ(to_line(task_text(job, step)), "gemm A[2], A[3] -> A[0], A[3] (jobs/x.toml:12)");
  step.accesses = std::span(accesses).subspan(0, 1);
  EXPECT_EQ(to_line(task_text(job, step)), "gemm A[2] (jobs/x.toml:12)");
  step.accesses = std::span(accesses).subspan(1, 1);
  EXPECT_EQ(to_line(task_text(job, step)), "gemm -> A[0] (jobs/x.toml:12)");
  step.accesses = {};
  step.name = "warm up";
  EXPECT_EQ(to_line(task_text(job, step)), "warm up (jobs/x.toml:12)");
}

}  // namespace
}  // namespace penstock::jobs::test
