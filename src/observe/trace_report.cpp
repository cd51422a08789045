#include "observe/trace_report.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/core.h>

#include <penstock/error.hpp>

#include "observe/files.hpp"
#include "observe/trace_json.hpp"

namespace penstock::observe {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, int error) {
  throw Error(ErrorCode::environment,
              fmt::format("cannot write {}: {}", file.string(), std::generic_category().message(error)));
}

/// Where the text goes: a file of another name beside it, which is there only while it is written; or the thing itself
/// where it is no regular file, such as a pipe.
class Output {
 public:
  explicit Output(const std::filesystem::path& file) : file_(file) {
    struct stat status {};
    const bool in_place = ::stat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    if (!in_place) {
      temporary_ = file.parent_path() / fmt::format(".penstock-{}.{}", file.filename().string(), ::getpid());
      ::unlink(temporary_.c_str());  // of a process that was killed and had the same number
    }
    const char* const name = in_place ? file.c_str() : temporary_.c_str();
    descriptor_ =
        Descriptor(::open(name, in_place ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!descriptor_.valid()) refuse(file, errno);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  void write(std::string_view text) {
    if (const int error = write_all(descriptor_.get(), text); error != 0) refuse(file_, error);
  }
  void finish() {
    if (const int error = descriptor_.close(); error != 0) refuse(file_, error);
    if (temporary_.empty()) return;
    if (std::rename(temporary_.c_str(), file_.c_str()) != 0) refuse(file_, errno);
    temporary_.clear();
  }

 private:
  std::filesystem::path file_;
  std::filesystem::path temporary_;
  Descriptor descriptor_;
};

}  // namespace

TraceReport report_trace(const std::filesystem::path& run_folder) {
  TraceReport report;
  try {
    const TraceRun run(run_folder);
    report.notes = run.warnings();
    report.numbers = count_numbers(run);
    if (run.task_events() <= trace_json_tasks_most) {
      save_trace_json(run, run_folder / "trace.json");
    } else {
      report.notes.push_back(fmt::format("the trace is large ({} task events): penstock trace {} makes its trace.json",
                                         run.task_events(), run_folder.string()));
    }
  } catch (const std::exception& error) {
    report.notes.emplace_back(error.what());
  }
  return report;
}

void save_trace_json(const TraceRun& run, const std::filesystem::path& file) {
  Output output(file);
  write_trace_json(run, [&output](std::string_view text) { output.write(text); });
  output.finish();
}

std::string trace_line(const TraceRun& run) {
  const auto counted = [](std::uint64_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string line = counted(run.events(), "event") + " of " + counted(run.ranks().size(), "rank");
  if (run.dropped() > 0) line += fmt::format("; {} older ones were dropped", run.dropped());
  std::string not_ended;
  for (const TracedRank& rank : run.ranks()) {
    if (!rank.ended) not_ended += fmt::format("{}{}", not_ended.empty() ? "" : ", ", rank.rank);
  }
  if (!not_ended.empty()) line += fmt::format("; still running or killed: rank {}", not_ended);
  return line;
}

}  // namespace penstock::observe
