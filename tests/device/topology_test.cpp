#include "device/cpu/topology.hpp"

#include <gmock/gmock.h>
#include <omp.h>

#include <thread>

#include "device/cpu/affinity.hpp"

namespace penstock::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

Machine machine_with(core::CoreSet mask, int online, double quota, int workers_most) {
  Machine machine;
  machine.allowed = {.host = "host", .mask = std::move(mask), .quota = quota};
  machine.cores_online = online;
  machine.workers_most = workers_most;
  return machine;
}

TEST(OmpNumThreads, IsTheFirstNumberOfTheList) {
  EXPECT_EQ(parse_omp_num_threads("4"), 4);
  EXPECT_EQ(parse_omp_num_threads(" 4,2"), 4);
  EXPECT_EQ(parse_omp_num_threads("3 "), 3);
}

TEST(OmpNumThreads, IsNoLimitWhenItIsNoPositiveNumber) {
  for (const char* text : {"", "0", "-2", "many", "4x", "99999999999"})
    EXPECT_EQ(parse_omp_num_threads(text), 0) << text;
}

/// Run with OMP_PROC_BIND too, where the calling thread may be on one place alone.
TEST(CoresOfProcess, AreThoseOfOpenmpsPlacesToo) {
  const bool is_bound = omp_get_proc_bind() != omp_proc_bind_false;

  const core::CoreSet cores = cores_of_process();

  EXPECT_EQ(cores.size(), is_bound ? static_cast<std::size_t>(omp_get_num_places()) : read_affinity().size());
}

TEST(Machine, ExplainsWhatBoundsItsCores) {
  EXPECT_EQ(explain(machine_with({0, 1}, 2, 0.0, 0)), "2 of 2 cores: all that are online");
  EXPECT_EQ(explain(machine_with({0, 1}, 16, 0.0, 0)), "2 of 16 cores: affinity mask 0-1");
  EXPECT_EQ(explain(machine_with({0, 1, 2, 3}, 4, 1.5, 0)), "2 of 4 cores: cgroup quota 1.5");
  EXPECT_EQ(explain(machine_with({0, 1, 2, 3}, 8, 3.0, 1)),
            "1 of 8 cores: affinity mask 0-3; cgroup quota 3; OMP_NUM_THREADS=1");
}

TEST(Machine, DoesNotNameALimitThatDoesNotBind) {
  EXPECT_EQ(explain(machine_with({0, 1}, 2, 8.0, 4)), "2 of 2 cores: all that are online");
}

TEST(Machine, LimitsTheWorkersOfAShare) {
  EXPECT_THAT(limit_workers({2, 3, 5}, machine_with({}, 8, 0.0, 2)), ElementsAre(2, 3));
  EXPECT_THAT(limit_workers({2, 3, 5}, machine_with({}, 8, 0.0, 0)), ElementsAre(2, 3, 5));
  EXPECT_THAT(limit_workers({2}, machine_with({}, 8, 0.0, 4)), ElementsAre(2));
}

TEST(Machine, OfThisProcessHasAHostCoresAndMemory) {
  const Machine machine = read_machine();

  EXPECT_THAT(machine.allowed.host, Not(IsEmpty()));
  EXPECT_THAT(machine.allowed.mask, Not(IsEmpty()));
  EXPECT_GE(machine.cores_online, static_cast<int>(machine.allowed.mask.size()));
  EXPECT_GT(machine.memory_bytes, 0);
}

TEST(Affinity, IsThatOfTheThreadAndComesBackAfterAPinnedScope) {
  core::CoreSet before;
  core::CoreSet inside;
  core::CoreSet after;

  std::thread([&] {
    before = read_affinity();
    {
      const PinnedScope pinned(before.back());
      inside = read_affinity();
    }
    after = read_affinity();
  }).join();

  EXPECT_THAT(inside, ElementsAre(before.back()));
  EXPECT_EQ(after, before);
}

TEST(Affinity, RefusesCoresThatAreNotThere) {
  EXPECT_FALSE(set_affinity({}));
  EXPECT_FALSE(set_affinity({-1}));
  EXPECT_FALSE(set_affinity({500'000}));
}

}  // namespace
}  // namespace penstock::device
