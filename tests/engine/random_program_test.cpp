#include "engine/random_program.hpp"

#include <gtest/gtest.h>

namespace penstock::engine {
namespace {

void check(const Configuration& configuration, std::uint64_t first_seed, std::uint64_t seeds) {
  Program program(configuration);
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds && !testing::Test::HasFailure(); ++seed) {
    if (configuration.all_short) program.prove_short();
    check_random_program(program, seed);
  }
}

TEST(RandomPrograms, GiveWhatASerialRunGives) { check({}, 1, 60); }

TEST(RandomPrograms, GiveTheSameWithManyWorkers) { check({.workers = 6}, 100, 30); }

TEST(RandomPrograms, GiveTheSameWhereTheProgramRunsWhatItCan) {
  check({.all_short = true}, 700, 60);
  check({.window_tasks = 3, .all_short = true}, 760, 30);
  check({.renames = false, .all_short = true}, 790, 30);
}

TEST(RandomPrograms, GiveTheSameThroughANarrowWindow) {
  check({.window_tasks = 3}, 200, 30);
  check({.window_bytes = 2000}, 230, 30);
}

TEST(RandomPrograms, GiveTheSameWithoutRenaming) {
  check({.renames = false}, 300, 60);
  check({.renaming_bytes = 10'000}, 360, 30);
}

TEST(RandomPrograms, GiveTheSameInOrder) {
  check({.serial = true}, 400, 30);
  check({.renames = false, .serial = true}, 430, 30);
}

TEST(RandomPrograms, GiveTheSameInAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    check({.workers = 1, .seed = seed, .renames = seed % 2 == 0}, 500 + 2 * seed, 2);
    check({.workers = 3, .seed = seed, .renames = seed % 2 == 1}, 600 + 2 * seed, 2);
  }
}

}  // namespace
}  // namespace penstock::engine
