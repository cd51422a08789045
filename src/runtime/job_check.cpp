// `penstock check`: what a job file says, without running anything.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include <penstock/error.hpp>

#include "device/cpu/topology.hpp"
#include "jobs/graph_dot.hpp"
#include "jobs/graph_summary.hpp"
#include "jobs/job.hpp"
#include "kernels/table.hpp"
#include "observe/files.hpp"
#include "observe/progress.hpp"
#include "runtime/check_report.hpp"
#include "runtime/commands.hpp"
#include "runtime/interrupts.hpp"
#include "runtime/overrides.hpp"
#include "runtime/run_plugins.hpp"

namespace penstock::runtime {

namespace {

using Clock = std::chrono::steady_clock;

/// Looks up now and then while the steps of a job are counted: Ctrl-C ends that, and a terminal shows how far it is.
class LookOut {
 public:
  explicit LookOut(const jobs::Totals& totals) : total_(static_cast<std::uint64_t>(totals.all_tasks())) {}

  void look_up(std::int64_t tasks) {
    if (Interrupts::level() != Interrupts::Level::none) {
      throw Error(ErrorCode::interrupted, "interrupted before the job was looked through");
    }
    const auto now = Clock::now();
    if (!target_.terminal || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    progress_.update({.done = static_cast<std::uint64_t>(tasks), .total = total_}, seconds);
  }

 private:
  const std::uint64_t total_;
  const observe::ProgressTarget target_ = observe::standard_error_target(false);
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::seconds(1);
  observe::Progress progress_{std::cerr, target_};
};

[[noreturn]] void cannot_write(const std::filesystem::path& file, const std::string& why) {
  throw Error(ErrorCode::environment, "cannot write " + file.string() + ": " + why);
}

/// Whole or not at all. Only a regular file is replaced: a pipe, a device or a link would not survive it.
void write_file(const std::filesystem::path& file, std::string_view text) {
  const auto why = [](int error) { return std::generic_category().message(error); };
  const std::filesystem::path parent = file.has_parent_path() ? file.parent_path() : ".";
  const std::string name = file.filename().string();
  const observe::Descriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) cannot_write(file, why(errno));
  struct stat status {};
  const bool exists = fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && !S_ISREG(status.st_mode)) cannot_write(file, "it is there and no regular file");
  const int error = observe::replace_file_at(folder.get(), name.c_str(), text, 0666);
  if (error != 0) cannot_write(file, why(error));
}

std::int64_t usable_memory() {
  const device::Machine machine = device::read_machine();
  if (machine.memory_limit_bytes == 0) return machine.memory_bytes;
  return std::min(machine.memory_bytes, machine.memory_limit_bytes);
}

jobs::Job load(const CheckOptions& options) {
  const jobs::JobText text(options.job);
  load_plugins_of(text);
  return jobs::Job::load(text, kernels::KernelTable::process().all(), overrides_of(options.values));
}

}  // namespace

int check_job(const CheckOptions& options, std::ostream& out) {
  const jobs::Job job = load(options);
  const Interrupts interrupts(false);  // until here, Ctrl-C simply ends the process
  LookOut look_out(job.totals());
  const jobs::Watch watch = [&look_out](std::int64_t tasks) { look_out.look_up(tasks); };
  if (options.graph) {
    const std::string picture = jobs::graph_dot(job, watch);
    if (*options.graph == "-") {
      out << picture;
      return exit_code::all_done;
    }
    write_file(*options.graph, picture);
  }
  const CheckReport report{.file = options.job.string(),
                           .job = job.name(),
                           .graph = jobs::summarize(job, watch),
                           .memory_bytes = usable_memory()};
  out << (options.json ? to_json(report) : to_screen(report));
  return exit_code::all_done;
}

}  // namespace penstock::runtime
