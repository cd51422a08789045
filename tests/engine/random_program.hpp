/// Random programs on the engine, whose values, outcomes and causes are compared with those of a serial run.
#pragma once

#include <cstdint>

#include "engine/program.hpp"

namespace penstock::engine {

/// Fails the test, with the seed, where the two differ. The program's tasks have all ended, before and after.
void check_random_program(Program& program, std::uint64_t seed);

}  // namespace penstock::engine
