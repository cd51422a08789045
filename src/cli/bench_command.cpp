#include "cli/bench_command.hpp"

#include <unistd.h>
#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/core.h>
#include <penstock/error.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

const std::array<OptionDescription, 4> options{
    {{.name = "quick", .letter = '\0', .value_name = "", .meaning = "a short run that shows that it works"},
     {.name = "json", .letter = '\0', .value_name = "", .meaning = "print JSON in place of the table"},
     {.name = "n",
      .letter = '\0',
      .value_name = "N",
      .meaning = "rows and columns of the matrices, where one can choose"},
     {.name = "devices",
      .letter = '\0',
      .value_name = "KINDS",
      .meaning = "cpu, gpu or cpu,gpu, where one can choose (default: cpu)"}}};

std::string help() {
  return "Usage: penstock bench [options] NAME\n\n"
         "Runs the benchmark NAME: it prints what was measured beside the limit of the machine and a rival\n"
         "that does the same work. It is a program of its own: penstock-bench --help lists the "
         "benchmarks.\n\nOptions:\n" +
         options_text(options) +
         "\nExamples:\n  penstock bench matmul\n  penstock bench --quick --json increments-job\n\n" +
         std::string(exit_code_table);
}

[[noreturn]] void become(const std::filesystem::path& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(ErrorCode::environment,
              fmt::format("cannot start {}: {}", program.string(), std::generic_category().message(errno)));
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const Arguments given(options, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  std::vector<std::string> handed_on{given.only_positional("NAME")};
  for (const OptionDescription& option : options) {
    if (!given.has(option.name)) continue;
    handed_on.push_back("--" + std::string(option.name));
    if (!option.value_name.empty()) handed_on.push_back(*given.text(option.name));
  }
  std::error_code failure;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw Error(ErrorCode::environment, "cannot tell where penstock is: " + failure.message());
  become(find_benchmark_program(own.parent_path()), std::move(handed_on));
}

}  // namespace

std::vector<std::filesystem::path> benchmark_places(const std::filesystem::path& folder) {
  return {folder / "penstock-bench", folder.parent_path() / "libexec" / "penstock" / "penstock-bench"};
}

std::filesystem::path find_benchmark_program(const std::filesystem::path& folder) {
  const auto places = benchmark_places(folder);
  for (const auto& place : places) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(place, ignored)) return place;
  }
  throw Error(ErrorCode::environment, fmt::format("penstock-bench is not installed: neither {} nor {} is there",
                                                  places[0].string(), places[1].string()));
}

const Command bench_command{
    .name = "bench", .summary = "run a benchmark beside its limit and a rival", .help = help, .run = run};

}  // namespace penstock::cli
