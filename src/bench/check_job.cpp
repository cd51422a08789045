// check-job: what `penstock check` needs to understand a job of ten million tasks: time a task, and memory.
#include <cstdint>
#include <utility>

#include <fmt/core.h>

#include "bench/benchmark.hpp"
#include "bench/programs.hpp"
#include "bench/scratch_folder.hpp"

namespace penstock::bench {

namespace {

constexpr std::uint64_t folder_bytes = std::uint64_t{1} << 20;
constexpr int data = 1000;

struct Size {
  int rounds;

  [[nodiscard]] double tasks() const { return static_cast<double>(data) * rounds; }
};

std::string job_text(Size size) {
  return fmt::format(
      "[job]\nname = \"bench-check\"\n\n[data.x]\nfor = \"i in 0..{0}\"\nshape = [64]\ndtype = \"f32\"\n"
      "origin = \"zeros\"\n\n[[task]]\nfor = [\"round in 0..{1}\", \"i in 0..{0}\"]\nkernel = \"increment\"\n"
      "read_write = [\"x[i]\"]\n",
      data, size.rounds);
}

/// The whole process: nanoseconds a task, and the most memory it had.
std::vector<double> values(const ProgramResult& result, double seconds, Size size) {
  return {seconds * 1e9 / size.tasks(), static_cast<double>(result.peak_bytes)};
}

Experiment experiment(Size size, const ScratchFolder& folder) {
  const auto job = folder.path() / "check.toml";
  write_file(job, job_text(size));
  const auto penstock = [size, job] {
    const ProgramResult result =
        run_program({.command = {beside("penstock").string(), "check", job.string()}, .environment = {}});
    return values(result, result.wall_s, size);
  };
  const auto bare = [size] {
    const ProgramResult result = run_program(
        {.command = {beside("penstock-bench-graph-bare").string(), std::to_string(data), std::to_string(size.rounds)},
         .environment = {}});
    return values(result, number_in(result.out, "seconds"), size);
  };
  return {.bench = "check-job",
          .workers = 1,
          .measures = {{.name = fmt::format("{:.0e} tasks", size.tasks()), .metric = "ns per task", .unit = "ns"},
                       {.name = fmt::format("{:.0e} tasks, memory", size.tasks()), .metric = "bytes", .unit = "B"}},
          .contenders = {{Role::subject, "penstock", penstock}, {Role::rival, "bare", bare}}};
}

}  // namespace

std::vector<Row> run_check_job(const BenchOptions& options) {
  const ScratchFolder folder(folder_bytes);
  std::vector<Row> rows;
  for (const Size size : {Size{options.quick ? 100 : 1'000}, Size{options.quick ? 1'000 : 10'000}}) {
    for (Row& row : carry_out(experiment(size, folder), effort_of(options))) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace penstock::bench
