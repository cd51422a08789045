#include <array>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/launcher.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

const std::array<OptionDescription, 1> options{
    {{.name = "output",
      .letter = 'o',
      .value_name = "FILE",
      .meaning = "where the trace goes; - is standard output (default: DIR/trace.json)"}}};

std::string help() {
  return "Usage: penstock trace [options] DIR\n\n"
         "Makes a trace.json of the run in the folder DIR: what ran where and when, what was moved, and what\n"
         "waited for what. Open it at https://ui.perfetto.dev or chrome://tracing. Works while the run goes\n"
         "on, and after it ended in whatever way. A run of few tasks has made its trace.json by itself.\n\nOptions:\n" +
         options_text(options) +
         "\nExamples:\n  penstock trace penstock-runs/matmul\n  penstock trace -o - penstock-runs/matmul | gzip > "
         "trace.json.gz\n\n" +
         std::string(exit_code_table);
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given(options, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  const std::filesystem::path folder = given.only_positional("DIR");
  const auto output = given.text("output");
  if (!is_first_rank()) return runtime::exit_code::all_done;  // one rank can do it
  return runtime::make_trace(folder, output ? std::filesystem::path(*output) : folder / "trace.json");
}

}  // namespace

const Command trace_command{
    .name = "trace", .summary = "make a trace.json of a run, for viewers", .help = help, .run = run};

}  // namespace penstock::cli
