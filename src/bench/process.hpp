/// Runs one program and waits for it; where Ctrl-C is noticed. Main thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace penstock::bench {

struct ProgramCall {
  std::vector<std::string> command;  ///< the program, looked for on the path if it has no slash, and its arguments
  std::map<std::string, std::string> environment;  ///< added to this process's own
};

struct ProgramResult {
  std::string out;              ///< what it wrote to standard output
  double wall_s = 0.0;          ///< from its start to its end
  double cpu_s = 0.0;           ///< of cores that it used meanwhile
  std::int64_t peak_bytes = 0;  ///< greatest resident memory, of the program itself
};

/// To be called once: from then on SIGINT, SIGTERM and SIGHUP are looked for by run_program() and stop_if_interrupted()
/// only, whichever thread gets them: libraries have threads of their own before main() begins.
void note_signals();

/// Throws Error (interrupted) when one of the signals has come.
void stop_if_interrupted();

/// Blocks until the program has ended. Its standard input is empty, its standard error is ours; what the user set for
/// OpenMP is not handed on, since it would bend the comparison. Throws Error: environment when it cannot be started or
/// does not return 0, interrupted when a signal came, after the program and what it started were ended.
[[nodiscard]] ProgramResult run_program(const ProgramCall& call);

}  // namespace penstock::bench
