// `penstock check`, `devices` and `kernels`: what is there, without running anything.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "core/cores.hpp"
#include "jobs/job.hpp"
#include "kernels/table.hpp"
#include "observe/device_table.hpp"
#include "observe/units.hpp"
#include "runtime/commands.hpp"
#include "runtime/connection.hpp"
#include "runtime/handshake.hpp"

namespace penstock::runtime {

int check_job(const std::filesystem::path& file, std::ostream& out) {
  const jobs::Job job = jobs::Job::load(file, kernels::KernelTable::process().all());
  const jobs::Totals& totals = job.totals();
  const auto bytes = [](std::int64_t amount) { return observe::bytes_text(static_cast<std::uint64_t>(amount)); };
  fmt::print(out, "{}: ok\n", file.string());
  fmt::print(out, "  job           {}\n", job.name());
  fmt::print(out, "  tasks         {}\n", totals.tasks);
  fmt::print(out, "  origin tasks  {}\n", totals.origin_tasks);
  fmt::print(out, "  saves         {}\n", totals.saves);
  fmt::print(out, "  data          {} ({} were all alive at once)\n", totals.data, bytes(totals.data_bytes));
  fmt::print(out, "  largest task  {}\n", bytes(totals.task_bytes_max));
  return exit_code::all_done;
}

int list_devices(std::ostream& out, bool json) {
  std::vector<cluster::Hello> hellos;
  if (const int code = gather_hellos(hellos); hellos.empty()) return code;
  const std::vector<cluster::Welcome> given = shares(hellos);  // as a run would share the cores of a host out
  std::vector<observe::DeviceRow> rows;
  for (const cluster::Hello& hello : hellos) {
    rows.push_back({.rank = static_cast<int>(rows.size()),
                    .host = hello.cores.host,
                    .cores = "cpu " + core::to_text(given[rows.size()].cores) + " of " + hello.cores_reason,
                    .gpus = hello.gpus,
                    .memory = observe::bytes_text(static_cast<std::uint64_t>(hello.memory_bytes)),
                    .mpi = hello.mpi});
  }
  out << (json ? to_json(rows) : to_screen(rows));
  return exit_code::all_done;
}

int list_kernels(std::ostream& out) {
  const kernels::KernelTable& table = kernels::KernelTable::process();
  for (std::size_t i = 0; i < table.all().size(); ++i) {
    fmt::print(out, "{}\n    {}\n", table.signatures()[i], table.all()[i]->summary);
  }
  return exit_code::all_done;
}

}  // namespace penstock::runtime
