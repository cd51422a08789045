#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

std::string help() {
  return "Usage: penstock check FILE\n\n"
         "Reads the job in FILE, runs nothing, and prints what was understood, or the first mistake with its\n"
         "line and column.\n\nOptions:\n" +
         options_text({}) + "\nExamples:\n  penstock check jobs/matmul.toml\n\n" + std::string(exit_code_table);
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given({}, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  return runtime::check_job(given.only_positional("FILE"), out);
}

}  // namespace

const Command check_command{
    .name = "check", .summary = "read a job file and say what was understood", .help = help, .run = run};

}  // namespace penstock::cli
