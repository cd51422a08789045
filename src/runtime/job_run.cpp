// `penstock run`: a job over all ranks, from its file to the report.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include <fmt/core.h>

#include <penstock/version.hpp>

#include "jobs/job.hpp"
#include "kernels/table.hpp"
#include "observe/progress.hpp"
#include "observe/run_folder.hpp"
#include "observe/standard_output.hpp"
#include "observe/summary.hpp"
#include "observe/trace_report.hpp"
#include "plugins/loader.hpp"
#include "runtime/commands.hpp"
#include "runtime/interrupts.hpp"
#include "runtime/job_submitter.hpp"
#include "runtime/overrides.hpp"
#include "runtime/run_plugins.hpp"
#include "runtime/session.hpp"
#include "runtime/trace_description.hpp"

namespace penstock::runtime {

namespace {

using Clock = std::chrono::steady_clock;
using Level = Interrupts::Level;

/// All that the steps of the job follow from.
std::string content_of(const jobs::JobText& text, const GivenValues& values) {
  std::string content = text.bytes();
  for (const auto& [name, value] : values) content.append(name).append("=").append(value).push_back('\0');
  return content;
}

/// The job on rank 0.
class JobRun {
 public:
  JobRun(const RunOptions& options, const jobs::JobText& text, Session& session)
      : options_(options),
        session_(session),
        job_(jobs::Job::load(text, session.kernel_table().all(), overrides_of(options.values))),
        marker_(observe::marker_of_this_process(job_.name(), options.job, content_of(text, options.values), version())),
        folder_(options.run_dir.value_or(observe::default_run_folder(job_.name())), marker_, options.fresh),
        submitter_(session.frontend(), kernels::KernelTable::process(), folder_.results()),
        progress_(std::cerr, observe::standard_error_target(options.quiet)) {
    total_ = static_cast<std::uint64_t>(job_.totals().all_tasks());
  }

  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;
  ~JobRun() { session_.frontend().set_while_waiting(nullptr); }

  /// Until all tasks have ended, or nothing more is started.
  void compute() {
    session_.frontend().set_while_waiting([this] { look_up(); });
    session_.measure();  // for the report, with a trace or without
    begin_trace();
    begin_ = Clock::now();
    jobs::Stream stream = job_.stream();
    jobs::Step step;
    while (Interrupts::level() == Level::none && stream.next(step)) submitter_.take(step);
    submitter_.flush();
    session_.frontend().drain();
    sync_results();
    wall_s_ = seconds();
    progress_.clear();
  }

  [[nodiscard]] int exit_code() const {
    if (Interrupts::level() != Level::none) return exit_code::interrupted;
    const frontend::Counts counts = session_.frontend().counts();
    if (counts.lost > 0) return exit_code::lost;
    return counts.not_done() > 0 || !sync_error_.empty() ? exit_code::task_failed : exit_code::all_done;
  }

  /// After the end of the session: the report, on disk and on standard output.
  void report(std::span<const cluster::Bye> byes, int code) const {
    observe::RunSummary run = summary(byes, code);
    if (traced_) add_trace(run);
    const std::string json = to_json(run);
    observe::write_standard_output(options_.json ? json : to_screen(run));
    folder_.write_report(json);
  }

 private:
  /// Before the first task.
  void begin_trace() {
    if (options_.trace_bytes == 0) return;
    traced_ = session_.record(folder_.make_trace_folder(), options_.trace_bytes, describe_for_trace(job_));
    submitter_.trace(session_.front_lane());
  }

  void add_trace(observe::RunSummary& run) const {
    observe::TraceReport trace = observe::report_trace(folder_.path());
    run.trace = std::move(trace.numbers);
    if (options_.quiet) return;
    for (const std::string& note : trace.notes) std::cerr << "penstock: " + note + '\n';
  }

  /// Those of the job, and those that reductions have needed so far.
  [[nodiscard]] std::uint64_t all_tasks() const { return total_ + session_.frontend().inserted(); }

  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// About ten times a second, while the front-end waits.
  void look_up() {
    const frontend::Counts counts = session_.frontend().counts();
    progress_.update({.done = counts.done,
                      .failed = counts.failed,
                      .skipped = counts.not_done() - counts.failed,
                      .total = all_tasks()},
                     seconds());
    const Level level = Interrupts::level();
    if (level == said_) return;
    said_ = level;
    progress_.clear();
    if (level == Level::drain) {
      std::cerr << fmt::format(
          "penstock: interrupted: waiting for {} tasks in flight; Ctrl-C again cancels those that have not started\n",
          counts.submitted - counts.ended());
    } else {
      std::cerr << "penstock: cancelled: waiting for the tasks that run\n";
      session_.frontend().cancel();
    }
  }

  /// Asks the system to write out what the saves have written, so that a full disk or a failing one is noticed now.
  void sync_results() {
    const int folder = open(folder_.results().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool written = folder >= 0 && syncfs(folder) == 0;
    if (!written) sync_error_ = "the results could not be written out: " + std::string(std::strerror(errno));
    if (folder >= 0) close(folder);
  }

  [[nodiscard]] std::string verdict(const frontend::Counts& counts, int code) const {
    if (code == exit_code::interrupted) return "interrupted";
    if (!sync_error_.empty()) return sync_error_;
    if (counts.not_done() == 0) return "all done";
    return fmt::format("{} of {} tasks not done", counts.not_done(), counts.submitted);
  }

  [[nodiscard]] observe::RunSummary summary(std::span<const cluster::Bye> byes, int code) const {
    const frontend::Counts counts = session_.frontend().counts();
    observe::RunSummary run;
    run.job = job_.name();
    run.version = version();
    run.started = marker_.started;
    run.verdict = verdict(counts, code);
    run.tasks_done = counts.done;
    run.tasks_failed = counts.failed + counts.lost;
    run.tasks_skipped = counts.skipped;
    run.tasks_cancelled = counts.cancelled;
    run.tasks_not_started = code == exit_code::interrupted ? all_tasks() - std::min(all_tasks(), counts.submitted) : 0;
    run.wall_s = wall_s_;
    run.run_folder = folder_.path().string();
    run.results_saved = counts.not_done() == 0 ? submitter_.saves() : saved();
    const std::vector<frontend::Failure> failures = session_.frontend().first_failures();
    for (const frontend::Failure& failure : failures) run.failures.push_back({failure.task.value(), failure.line});
    run.failures_omitted = counts.failed + counts.lost - std::min(counts.failed + counts.lost, failures.size());
    for (const auto& [task, cause] : session_.frontend().first_skipped()) {
      run.skipped.push_back({{task.task.value(), task.line}, {cause.task.value(), cause.line}});
    }
    run.skipped_omitted = counts.skipped - std::min<std::uint64_t>(counts.skipped, run.skipped.size());
    for (plugins::Plugin& plugin : plugins::Loader::process().loaded()) {
      run.plugins.push_back({plugin.path.string(), std::move(plugin.sha256), std::move(plugin.kernels)});
    }
    for (std::size_t rank = 0; rank < byes.size(); ++rank) run.ranks.push_back(rank_summary(rank, byes[rank]));
    run.exit_code = code;
    return run;
  }

  /// Files in the results: where some tasks were not done, not every save that was submitted was made.
  [[nodiscard]] std::uint64_t saved() const {
    std::error_code error;
    std::uint64_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.results(), error)) {
      files += entry.is_regular_file(error) ? 1 : 0;
    }
    return files;
  }

  static observe::RankSummary rank_summary(std::size_t rank, const cluster::Bye& bye) {
    observe::RankSummary summary;
    summary.rank = static_cast<int>(rank);
    summary.host = bye.host;
    summary.cores = bye.cores;
    summary.bytes_sent = bye.bytes_sent;
    summary.bytes_received = bye.bytes_received;
    for (const cluster::DeviceReport& device : bye.devices) {
      summary.devices.push_back({.kind = device.kind,
                                 .name = device.name,
                                 .lanes = device.lanes,
                                 .tasks = device.tasks,
                                 .busy_s = static_cast<double>(device.busy_ns) * 1e-9,
                                 .bytes_in = device.bytes_in,
                                 .bytes_out = device.bytes_out,
                                 .evictions = device.evictions,
                                 .why_idle = device.why_idle});
    }
    return summary;
  }

  const RunOptions& options_;
  Session& session_;
  const jobs::Job job_;
  const observe::RunMarker marker_;
  const observe::RunFolder folder_;
  JobSubmitter submitter_;
  observe::Progress progress_;
  std::uint64_t total_ = 0;
  Clock::time_point begin_;
  double wall_s_ = 0.0;
  bool traced_ = false;
  Level said_ = Level::none;
  std::string sync_error_;
};

int run_front(const RunOptions& options, std::optional<jobs::JobText> text, Session& session) {
  std::optional<JobRun> run;
  try {
    run.emplace(options, *text, session);
    text.reset();  // may be large
    run->compute();
  } catch (...) {
    session.frontend().cancel();
    session.frontend().drain();
    session.end();
    throw;
  }
  const int code = run->exit_code();
  const std::vector<cluster::Bye> byes = session.end();
  run->report(byes, code);
  return code;
}

}  // namespace

int run_job(const RunOptions& options) {
  std::optional<jobs::JobText> text;  // on rank 0
  std::unique_ptr<Session>
      session;  // outlives the handler: a lost run is left without its destructors, which would wait
  try {
    session = std::make_unique<Session>(SessionOptions{.workers = options.workers,
                                                       .window = {options.window_tasks, options.window_bytes},
                                                       .use_cpu = options.use_cpu,
                                                       .use_cuda = options.use_cuda,
                                                       .alone = false,
                                                       .checked = options.checked,
                                                       .serial = options.serial,
                                                       .schedule_seed = options.schedule_seed,
                                                       .gpu_bytes = options.gpu_bytes,
                                                       .pinned_bytes = options.pinned_bytes,
                                                       .placement = options.placement,
                                                       .prepare = [&] {
                                                         text.emplace(options.job);
                                                         load_plugins_of(*text);
                                                       }});
    std::optional<Interrupts> interrupts;
    if (session->is_front()) interrupts.emplace(false);
    return session->is_front() ? run_front(options, std::move(text), *session) : session->serve();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::lost) {
      session.reset();  // here, where no exception unwinds: MPI is left in order
      throw;
    }
    std::fprintf(stderr, "penstock: %s\n", error.what());
    _exit(exit_code::lost);  // MPI cannot be left in order any more
  }
}

}  // namespace penstock::runtime
