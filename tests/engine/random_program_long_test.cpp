// A thousand random programs, each on an engine of another shape.
#include <gtest/gtest.h>

#include "engine/random_program.hpp"
#include "support/random.hpp"

namespace penstock::engine {
namespace {

TEST(ThousandRandomPrograms, GiveWhatASerialRunGives) {
  for (std::uint64_t seed = 10'000; seed < 11'000 && !HasFailure(); ++seed) {
    support::Random random(seed);
    Configuration configuration{.workers = static_cast<int>(random.between(1, 5)), .renames = random.chance(50)};
    if (random.chance(50)) configuration.seed = seed;
    if (random.chance(30)) configuration.window_tasks = random.between(1, 20);
    if (random.chance(30)) configuration.window_bytes = static_cast<std::int64_t>(random.between(1, 5000));
    if (random.chance(20)) configuration.renaming_bytes = random.between(0, 50'000);

    configuration.all_short = random.chance(40);

    Program program(configuration);
    for (std::uint64_t again = 0; again < 3; ++again) {
      if (configuration.all_short) program.prove_short();
      check_random_program(program, seed + again * 1000);
    }
  }
}

}  // namespace
}  // namespace penstock::engine
