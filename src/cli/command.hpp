/// A sub-command of `penstock`: its name, its help, and what it does. One source file per command. Main thread only.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace penstock::cli {

struct Command {
  std::string_view name;
  std::string_view summary;  ///< one phrase, for the list of commands
  std::string (*help)();
  /// `arguments` are those after the name. Results go to `out`; returns the exit code. Throws UsageError or Error.
  int (*run)(std::span<const std::string> arguments, std::ostream& out);
};

extern const Command run_command;
extern const Command check_command;
extern const Command devices_command;
extern const Command kernels_command;
extern const Command trace_command;
extern const Command bench_command;

/// In the order in which the help lists them.
[[nodiscard]] std::span<const Command* const> all_commands();

/// The command of that name or nullptr.
[[nodiscard]] const Command* find_command(std::string_view name);

/// What every help text ends in.
inline constexpr std::string_view exit_code_table =
    "Exit codes:\n"
    "  0    all done\n"
    "  1    some task failed, was skipped or cancelled\n"
    "  2    bad input or usage, or the machine refused (a file, memory, MPI)\n"
    "  3    the run folder cannot be used\n"
    "  4    a rank or a device was lost\n"
    "  130  interrupted: Ctrl-C ends the run once what was submitted is done; twice, what runs\n";

}  // namespace penstock::cli
