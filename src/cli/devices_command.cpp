#include <array>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

const std::array<OptionDescription, 1> options{
    {{.name = "json", .letter = '\0', .value_name = "", .meaning = "print JSON in place of the table"}}};

std::string help() {
  return "Usage: penstock devices [options]\n\n"
         "Prints what each rank may compute on, and why no more: cores, GPUs, memory, MPI.\n\nOptions:\n" +
         options_text(options) + "\nExamples:\n  penstock devices\n  srun penstock devices --json\n\n" +
         std::string(exit_code_table);
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given(options, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  given.no_positional();
  return runtime::list_devices(out, given.has("json"));
}

}  // namespace

const Command devices_command{
    .name = "devices", .summary = "print what each rank may compute on", .help = help, .run = run};

}  // namespace penstock::cli
