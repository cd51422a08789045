#include <array>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/launcher.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

const std::array<OptionDescription, 3> options{
    {{.name = "json", .letter = '\0', .value_name = "", .meaning = "print JSON in place of the text"},
     {.name = "graph",
      .letter = '\0',
      .value_name = "FILE",
      .meaning = "write the graph of the tasks for GraphViz's dot; - prints it, and nothing else"},
     {.name = "set",
      .letter = '\0',
      .value_name = "NAME=VALUE",
      .meaning = "give the value NAME of the job's [values] another value; may be given several times",
      .repeats = true}}};

std::string help() {
  return "Usage: penstock check [options] FILE\n\n"
         "Reads the job in FILE, runs nothing, and prints what was understood: how many tasks and bytes, and\n"
         "how much can be done at once. Or the first mistake with its line and column.\n\nOptions:\n" +
         options_text(options) +
         "\nExamples:\n"
         "  penstock check jobs/matmul.toml\n"
         "  penstock check --graph - jobs/matmul.toml | dot -Tsvg > matmul.svg\n\n" +
         std::string(exit_code_table);
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given(options, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  runtime::CheckOptions check{.job = given.only_positional("FILE"),
                              .json = given.has("json"),
                              .graph = std::nullopt,
                              .values = given.assignments("set")};
  if (const auto graph = given.text("graph")) check.graph = *graph;
  if (check.json && check.graph == "-") throw UsageError("--json and --graph - cannot both go to standard output");
  if (!is_first_rank()) return runtime::exit_code::all_done;  // one does it, and prints the mistake if there is one
  return runtime::check_job(check, out);
}

}  // namespace

const Command check_command{
    .name = "check", .summary = "read a job file and say what was understood", .help = help, .run = run};

}  // namespace penstock::cli
