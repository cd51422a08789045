#include "cli/command.hpp"

#include <algorithm>
#include <array>

namespace penstock::cli {

std::span<const Command* const> all_commands() {
  static constexpr std::array<const Command*, 6> commands{&run_command,     &check_command, &devices_command,
                                                          &kernels_command, &trace_command, &bench_command};
  return commands;
}

const Command* find_command(std::string_view name) {
  const auto commands = all_commands();
  const auto found = std::ranges::find(commands, name, [](const Command* command) { return command->name; });
  return found == commands.end() ? nullptr : *found;
}

}  // namespace penstock::cli
