#include "observe/run_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <penstock/error.hpp>

#include "observe/table.hpp"
#include "observe/units.hpp"

namespace penstock::observe {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* marker_name = "run.json";
constexpr const char* lock_name = ".penstock-lock";
constexpr std::size_t marker_bytes_max = std::size_t{1} << 20;

/// The lock and files that a killed run had not yet renamed: a folder with nothing else is empty.
bool is_scaffolding(std::string_view name) { return name.starts_with(".penstock-"); }

std::string marker_json(const RunMarker& marker) {
  const Json document{{"format", 1},
                      {"program", "penstock"},
                      {"job", marker.job},
                      {"job_file", marker.job_file},
                      {"job_hash", marker.job_hash},
                      {"started", marker.started},
                      {"version", marker.version},
                      {"pid", marker.pid},
                      {"host", marker.host}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Which run the text of a marker says there is; nothing when it is not one of penstock's. `is_ours`: the folder shows
/// in another way that it holds one, so a marker that says nothing is damaged.
std::optional<std::string> run_told_by(const std::string& text, bool is_ours) {
  const Json document = Json::parse(text, nullptr, false);
  const auto text_at = [&document](const char* key) -> std::string {
    const auto found = document.find(key);
    return found != document.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const std::string program = text_at("program");
  const std::string started = text_at("started");
  if (program == "penstock" && !started.empty()) {
    return fmt::format("a run of {} from {}", clipped(text_at("job"), 100), clipped(started, 40));
  }
  if (!is_ours || (!program.empty() && program != "penstock")) return std::nullopt;
  return "a run whose run.json is damaged";
}

/// "pid 17 on node3": as the holder of the lock wrote it.
std::string holder_of(int lock_folder) {
  std::string text;
  if (read_file_at(lock_folder, lock_name, 1024, text) != 0 || text.empty()) return "another run";
  return clipped(std::string_view(text).substr(0, text.find('\n')), 100);
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace

std::string content_hash(std::string_view content) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return fmt::format("{:016x}", hash);
}

RunMarker marker_of_this_process(std::string job, const std::filesystem::path& job_file, std::string_view job_text,
                                 std::string version) {
  return {.job = std::move(job),
          .job_file = job_file.empty() ? "" : std::filesystem::absolute(job_file).string(),
          .job_hash = job_file.empty() ? "" : content_hash(job_text),
          .started = utc_text(std::chrono::system_clock::now()),
          .version = std::move(version),
          .pid = ::getpid(),
          .host = host_name()};
}

std::filesystem::path default_run_folder(std::string_view job) {
  std::string name(job.substr(0, 200));
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  for (char& c : name) c = is_plain(c) ? c : '_';
  const bool hidden = name.empty() || name.front() == '.';
  return std::filesystem::path("penstock-runs") / (hidden ? fmt::format("_{}", name) : name);
}

RunFolder::RunFolder(const std::filesystem::path& folder, const RunMarker& marker, bool fresh) {
  // A slash at the end would make the system follow a symbolic link. Nothing else is normalised: "a/../b" need not be
  // "b".
  std::string text = folder.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  path_ = text;
  if (text.empty()) refuse("its name is empty");
  path_ = std::filesystem::absolute(path_);
  open_folder();
  const bool had_lock = has_lock();
  static_cast<void>(earlier_run(had_lock));  // before the lock is put there: a folder that is not ours stays as it is
  lock();
  const std::optional<std::string> run = earlier_run(had_lock);  // again: only now can no other run come between
  if (run && !fresh) refuse("holds " + *run + "; --fresh, or .fresh = true of a program, replaces it");
  empty();
  if (const int error = replace_file_at(folder_.get(), marker_name, marker_json(marker)); error != 0) {
    refuse("cannot write run.json", error);
  }
  if (::mkdirat(folder_.get(), "results", 0700) != 0) refuse("cannot make results", errno);
}

void RunFolder::write_report(std::string_view json) const {
  if (const int error = replace_file_at(folder_.get(), "report.json", json); error != 0) {
    refuse("cannot write report.json", error);
  }
}

std::filesystem::path RunFolder::make_trace_folder() const {
  if (::mkdirat(folder_.get(), "trace", 0700) != 0) refuse("cannot make trace", errno);
  return path_ / "trace";
}

void RunFolder::open_folder() {
  std::error_code failure;
  std::filesystem::create_directories(path_.parent_path(), failure);
  if (failure) refuse("cannot make " + path_.parent_path().string(), failure.value());
  if (::mkdir(path_.c_str(), 0700) != 0 && errno != EEXIST) refuse("cannot be made", errno);

  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0) refuse("cannot be looked at", errno);
  if (S_ISLNK(status.st_mode)) refuse("is a symbolic link; name the folder itself");
  if (!S_ISDIR(status.st_mode)) refuse("is not a folder; name another one with --run-dir");
  folder_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder_.valid()) refuse("cannot be opened", errno);
}

bool RunFolder::has_lock() const {
  struct stat status {};
  return ::fstatat(folder_.get(), lock_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

std::optional<std::string> RunFolder::earlier_run(bool is_ours) const {
  std::vector<std::string> names;
  if (const int error = list_folder(folder_.get(), names); error != 0) refuse("cannot be read", error);
  if (std::ranges::all_of(names, is_scaffolding)) return std::nullopt;

  std::string text;
  const int error = read_file_at(folder_.get(), marker_name, marker_bytes_max, text);
  const bool is_there = error == 0 || error == EFBIG;
  std::optional<std::string> run = is_there ? run_told_by(text, is_ours) : std::nullopt;
  if (!run) refuse("is not empty and holds no run of penstock; name another one with --run-dir");
  return run;
}

void RunFolder::lock() {
  lock_ = Descriptor(::openat(folder_.get(), lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock_.valid()) refuse("cannot make its lock", errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) refuse("is in use by " + holder_of(folder_.get()));
    if (errno != ENOLCK && errno != EOPNOTSUPP && errno != ENOSYS) refuse("cannot be locked", errno);
  } else {
    locked_ = true;
  }
  if (::ftruncate(lock_.get(), 0) != 0) refuse("cannot write its lock", errno);
  const int error = write_all(lock_.get(), fmt::format("pid {} on {}\n", ::getpid(), host_name()));
  if (error != 0) refuse("cannot write its lock", error);
}

void RunFolder::empty() const {
  struct stat status {};
  if (::fstat(folder_.get(), &status) != 0) refuse("cannot be looked at", errno);
  if ((status.st_mode & 07777U) != 0700U && ::fchmod(folder_.get(), 0700) != 0) {
    refuse("cannot be closed to others (mode 0700)", errno);
  }
  // The marker stays until the new one replaces it, so that an interrupted removal can be taken up again.
  const auto keep = [](std::string_view name) { return name == marker_name || name == lock_name; };
  std::string where;
  if (const int error = remove_contents(folder_.get(), keep, where); error != 0)
    refuse("cannot remove " + where, error);
}

void RunFolder::refuse(const std::string& why) const {
  throw Error(ErrorCode::run_folder, fmt::format("run folder {}: {}", clipped(path_.string(), 400), why));
}

void RunFolder::refuse(const std::string& what, int error) const {
  refuse(fmt::format("{}: {}", what, std::generic_category().message(error)));
}

}  // namespace penstock::observe
