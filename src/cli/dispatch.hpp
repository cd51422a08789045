/// The whole command line: finds the command, runs it, and turns what it throws into one line and an exit code.
#pragma once

#include <ostream>
#include <span>
#include <string>

namespace penstock::cli {

/// `arguments` are those of main() without the program's name. Help and results go to `out`, errors to `error`: usage
/// errors and help only on the first rank, so that a launcher does not repeat them. Returns the exit code; never
/// throws.
int dispatch(std::span<const std::string> arguments, std::ostream& out, std::ostream& error);

}  // namespace penstock::cli
