#include <array>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/launcher.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

const std::array<OptionDescription, 2> options{
    {{.name = "plugin",
      .letter = '\0',
      .value_name = "FILE",
      .meaning = "load the plugin FILE first; may be given several times",
      .repeats = true},
     {.name = "json", .letter = '\0', .value_name = "", .meaning = "print JSON in place of the text"}}};

std::string help() {
  return "Usage: penstock kernels [options] [NAME]\n\n"
         "Prints the kernels that a job may name: what they read and write, their parameters and defaults.\n"
         "With NAME that one only, and a task of a job file that uses it. Devices are those for which a kernel\n"
         "has a body of its own; where there are GPUs, gemm runs on them too.\n\nOptions:\n" +
         options_text(options) +
         "\nExamples:\n"
         "  penstock kernels | less\n"
         "  penstock kernels gemm\n"
         "  penstock kernels --plugin ./filters.so --json\n\n" +
         std::string(exit_code_table);
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given(options, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  runtime::KernelsOptions kernels;
  for (const std::string& plugin : given.texts("plugin")) kernels.plugins.emplace_back(plugin);
  kernels.kernel = given.optional_positional("NAME");
  kernels.json = given.has("json");
  if (!is_first_rank()) return runtime::exit_code::all_done;
  return runtime::list_kernels(kernels, out);
}

}  // namespace

const Command kernels_command{
    .name = "kernels", .summary = "print the kernels that a job may name", .help = help, .run = run};

}  // namespace penstock::cli
