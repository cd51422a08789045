#include "core/ids.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>

#include "core/outcome.hpp"

namespace penstock::core {
namespace {

static_assert(!std::convertible_to<DataId, TaskId>);
static_assert(!std::convertible_to<std::uint32_t, DataId>);
static_assert(!std::constructible_from<Version, TaskId>);
static_assert(!std::equality_comparable_with<DataId, Attempt>);
static_assert(std::is_trivially_copyable_v<TaskId> && sizeof(TaskId) == 8);

TEST(Id, IsOrderedByItsNumber) {
  EXPECT_LT(Version(3), Version(4));
  EXPECT_EQ(Version(3), Version(3));
  EXPECT_LT(no_rank, front_rank);
}

TEST(Id, StartsAsNothing) {
  EXPECT_EQ(TaskId().value(), 0u);
  EXPECT_EQ(Version(), Version(0));
}

TEST(Outcome, HasANameForEachNumber) {
  EXPECT_EQ(name_of(Outcome::done), "done");
  EXPECT_EQ(name_of(Outcome::timed_out), "timed out");
  EXPECT_EQ(name_of(Outcome::skipped), "skipped");
}

}  // namespace
}  // namespace penstock::core
