#include <algorithm>
#include <array>
#include <limits>

#include <fmt/core.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/suggest.hpp"
#include "observe/units.hpp"
#include "runtime/commands.hpp"

namespace penstock::cli {

namespace {

constexpr std::int64_t workers_max = 4096;

std::vector<OptionDescription> options() {
  const runtime::RunOptions defaults;
  return {
      {.name = "run-dir",
       .value_name = "DIR",
       .meaning = "where results and report go; made when missing (default: penstock-runs/NAME, NAME being the "
                  "job's name)"},
      {.name = "fresh",
       .value_name = "",
       .meaning = "replace the run that DIR holds, and all else in DIR (default: refuse)"},
      {.name = "quiet", .letter = 'q', .value_name = "", .meaning = "no progress on standard error"},
      {.name = "workers",
       .value_name = "N",
       .meaning = "cores per rank (default: all that the process may use, shared between the ranks of a machine)"},
      {.name = "window-tasks",
       .value_name = "N",
       .meaning = fmt::format("tasks in flight at once (default: {})", defaults.window_tasks)},
      {.name = "window-bytes",
       .value_name = "SIZE",
       .meaning = fmt::format("bytes that tasks in flight write, such as 512MiB or 1e9 (default: {})",
                              observe::bytes_text(static_cast<std::uint64_t>(defaults.window_bytes)))},
      {.name = "devices",
       .value_name = "KINDS",
       .meaning = "cpu, cuda, or both as cpu,cuda (default: all that answer)"},
      {.name = "gpu-memory",
       .value_name = "SIZE",
       .meaning = "the most of each GPU's memory that a rank uses; 0: 90 % of what is free there (default: 0)"},
      {.name = "pinned-bytes",
       .value_name = "SIZE",
       .meaning = "host memory that each rank pins for transfers of GPUs, at most; 0: none, and transfers that hold up "
                  "each other (default: its share of a quarter of the host's)"},
      {.name = "placement",
       .value_name = "POLICY",
       .meaning = "by what a rank with GPUs chooses a device for a task: eager, who is free first; locality, who has "
                  "most of the data; heft, who is predicted to end it first (default: " +
                  defaults.placement + ")"},
      {.name = "trace-bytes",
       .value_name = "SIZE",
       .meaning = fmt::format("the most recent events of each rank that DIR/trace keeps; 0: no trace (default: {})",
                              observe::bytes_text(static_cast<std::uint64_t>(defaults.trace_bytes)))},
      {.name = "checked",
       .value_name = "",
       .meaning = "run on cores only and watch what tasks do: writing what was declared as read, or leaving unwritten "
                  "what was declared as write, is an error that names task and array"},
      {.name = "serial",
       .value_name = "",
       .meaning = "run every task when it is submitted, one after the other: one rank, cores only"},
      {.name = "schedule-seed",
       .value_name = "N",
       .meaning = "begin ready tasks in a random order that depends on N: one rank, cores only"},
      {.name = "json", .value_name = "", .meaning = "print the report as JSON in place of the summary"},
      {.name = "set",
       .value_name = "NAME=VALUE",
       .meaning = "give the value NAME of the job's [values] another value; may be given several times",
       .repeats = true},
  };
}

std::string help() {
  return "Usage: penstock run [options] FILE\n\n"
         "Runs the job in FILE over the cores and GPUs of all ranks. The summary goes to standard output,\n"
         "progress and errors to standard error.\n\nOptions:\n" +
         options_text(options()) +
         "\nExamples:\n"
         "  penstock run jobs/matmul.toml\n"
         "  penstock run --fresh --run-dir out --window-bytes 512MiB jobs/matmul.toml\n"
         "  mpirun -n 8 penstock run jobs/matmul.toml\n"
         "  penstock run --set n=2000 --set tile=500 jobs/cholesky.toml\n"
         "  penstock run --json --quiet jobs/matmul.toml > report.json\n\n" +
         std::string(exit_code_table);
}

[[noreturn]] void refuse(std::string_view choices, std::string_view given, std::span<const std::string_view> names) {
  const std::string_view meant = nearest(given, names);
  throw UsageError(fmt::format("--{}, not '{}'{}", choices, given,
                               meant.empty() ? "" : fmt::format("; the nearest is '{}'", meant)));
}

std::string known_placement(const std::string& given) {
  constexpr std::array<std::string_view, 3> policies{"eager", "locality", "heft"};
  if (std::ranges::find(policies, given) == policies.end()) {
    refuse("placement takes eager, locality or heft", given, policies);
  }
  return given;
}

void use_only(std::string_view list, runtime::RunOptions& run) {
  constexpr std::array<std::string_view, 2> kinds{"cpu", "cuda"};
  run.use_cpu = false;
  run.use_cuda = false;
  while (true) {
    const std::string_view kind = list.substr(0, list.find(','));
    if (kind == "cpu") {
      run.use_cpu = true;
    } else if (kind == "cuda") {
      run.use_cuda = true;
    } else {
      refuse("devices takes cpu, cuda or cpu,cuda", kind, kinds);
    }
    if (kind.size() == list.size()) return;
    list.remove_prefix(kind.size() + 1);
  }
}

runtime::RunOptions understood(const Arguments& given) {
  runtime::RunOptions run;
  run.job = given.only_positional("FILE");
  if (const auto folder = given.text("run-dir")) run.run_dir = *folder;
  run.fresh = given.has("fresh");
  run.quiet = given.has("quiet");
  run.json = given.has("json");
  run.workers = static_cast<int>(given.number("workers", 1, workers_max).value_or(run.workers));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (const auto tasks = given.number("window-tasks", 1, most)) run.window_tasks = static_cast<std::uint64_t>(*tasks);
  run.window_bytes = given.bytes("window-bytes").value_or(run.window_bytes);
  run.trace_bytes = given.bytes("trace-bytes", 0).value_or(run.trace_bytes);
  if (const auto devices = given.text("devices")) use_only(*devices, run);
  run.gpu_bytes = given.bytes("gpu-memory", 0).value_or(run.gpu_bytes);
  run.pinned_bytes = given.bytes("pinned-bytes", 0);
  if (const auto placement = given.text("placement")) run.placement = known_placement(*placement);
  run.checked = given.has("checked");
  run.serial = given.has("serial");
  if (const auto seed = given.number("schedule-seed", 0, most)) run.schedule_seed = static_cast<std::uint64_t>(*seed);
  for (const char* const option : {"checked", "serial", "schedule-seed"}) {
    if (given.has(option) && given.has("devices") && run.use_cuda) {
      throw UsageError(fmt::format("--{} runs on cores only, not on --devices {}", option, *given.text("devices")));
    }
  }
  run.values = given.assignments("set");
  return run;
}

int run(std::span<const std::string> arguments, std::ostream& out) {
  const auto known = options();
  const Arguments given(known, arguments);
  if (given.help()) {
    out << help();
    return runtime::exit_code::all_done;
  }
  return runtime::run_job(understood(given));
}

}  // namespace

const Command run_command{.name = "run", .summary = "run a job file", .help = help, .run = run};

}  // namespace penstock::cli
