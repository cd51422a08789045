#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

std::string help() {
  return "Usage: penstock kernels\n\n"
         "Prints the kernels that a job may name, with their accesses, parameters and defaults.\n\nOptions:\n" +
         options_text({}) + "\nExamples:\n  penstock kernels | less\n\n" + std::string(exit_code_table);
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given({}, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  given.no_positional();
  return runtime::list_kernels(out);
}

}  // namespace

const Command kernels_command{
    .name = "kernels", .summary = "print the kernels that a job may name", .help = help, .run = run};

}  // namespace penstock::cli
