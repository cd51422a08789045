/// Reads what the machine line says. Blocks as long as reading a few files takes.
#pragma once

#include "bench/row.hpp"

namespace penstock::bench {

/// How many workers a rank that is alone here has when nobody limits them.
[[nodiscard]] int cores_here();

/// `blas` is left for the caller.
[[nodiscard]] MachineLine read_machine_line();

}  // namespace penstock::bench
