#include "cli/dispatch.hpp"

#include <fmt/core.h>
#include <penstock/error.hpp>
#include <penstock/version.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/launcher.hpp"
#include "cli/suggest.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

std::string general_help() {
  std::string text =
      "Usage: penstock COMMAND [arguments]\n\n"
      "Runs tasks over all cores and GPUs of a machine, or of a cluster under mpirun or srun.\n\nCommands:\n";
  for (const Command* command : all_commands()) text += fmt::format("  {:<12}{}\n", command->name, command->summary);
  text += fmt::format("  {:<12}{}\n\nOptions:\n  {:<12}{}\n  {:<12}{}\n", "help [CMD]",
                      "print this text or that of CMD", "--help", "print this text", "--version", "print the version");
  return text +
         "\nExamples:\n"
         "  penstock check jobs/matmul.toml\n"
         "  penstock run jobs/matmul.toml\n"
         "  penstock help run\n\n" +
         std::string(exit_code_table);
}

const Command& known_command(const std::string& name) {
  if (const Command* const command = find_command(name)) return *command;
  std::vector<std::string_view> names{"help", "--help", "--version"};
  for (const Command* command : all_commands()) names.push_back(command->name);
  const std::string_view meant = nearest(name, names);
  const std::string_view kind = name.starts_with('-') ? "option" : "command";
  throw UsageError(meant.empty() ? fmt::format("unknown {} '{}'", kind, name)
                                 : fmt::format("unknown {} '{}'; the nearest known one is '{}'", kind, name, meant));
}

int print_help(std::span<const std::string> arguments, std::ostream& out) {
  if (arguments.size() > 1) throw UsageError(fmt::format("unexpected argument '{}'", arguments[1]));
  out << (arguments.empty() ? general_help() : known_command(arguments.front()).help());
  return runtime::exit_code::all_done;
}

/// Runs what the arguments name. `command` is set as soon as it is known, for the messages.
int run_named(std::span<const std::string> arguments, const Command*& command, std::ostream& out) {
  if (arguments.empty()) throw UsageError("a command is missing");
  const std::string& first = arguments.front();
  if (first == "help") return print_help(arguments.subspan(1), out);
  if (first == "--help" || first == "-h" || first == "--version") {
    if (arguments.size() > 1) throw UsageError(fmt::format("unexpected argument '{}'", arguments[1]));
    out << (first == "--version" ? fmt::format("penstock {}\n", version()) : general_help());
    return runtime::exit_code::all_done;
  }
  command = &known_command(first);
  return command->run(arguments.subspan(1), out);
}

void print_usage_error(const Command* command, const char* what, std::ostream& error) {
  if (!is_first_rank()) return;
  const std::string name = command == nullptr ? "" : fmt::format(" {}", command->name);
  error << fmt::format("penstock{}: {}; see penstock{} --help\n", name, what, name) << std::flush;
}

}  // namespace

int dispatch(std::span<const std::string> arguments, std::ostream& out, std::ostream& error) {
  const Command* command = nullptr;
  try {
    return run_named(arguments, command, out);
  } catch (const UsageError& usage) {
    print_usage_error(command, usage.what(), error);
    return runtime::exit_code::bad_input;
  } catch (const Error& failure) {
    error << fmt::format("penstock: {}\n", failure.what()) << std::flush;
    return runtime::exit_code_of(failure.code());
  } catch (const std::exception& failure) {
    error << fmt::format("penstock: {}\n", failure.what()) << std::flush;
    return runtime::exit_code::bad_input;
  }
}

}  // namespace penstock::cli
