/// Reads what the machine line says. Blocks as long as reading a few files takes.
#pragma once

#include <string>

#include "bench/row.hpp"

namespace penstock::bench {

/// How many workers a rank that is alone here has when nobody limits them.
[[nodiscard]] int cores_here();

/// The numbers of `count` of their cores, from the one in place `first` on: "2-3".
[[nodiscard]] std::string cores_text(int first, int count);

/// `blas` is left for the caller.
[[nodiscard]] MachineLine read_machine_line();

}  // namespace penstock::bench
