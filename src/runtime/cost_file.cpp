#include "runtime/cost_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "observe/run_folder.hpp"
#include "observe/table.hpp"

namespace penstock::runtime {

namespace {

using Json = nlohmann::ordered_json;
using schedule::CostEntry;

constexpr std::size_t bytes_most = std::size_t{4} << 20;  // what entries_most need, with room to spare
constexpr const char* program = "penstock costs";
constexpr const char* lock_name = ".lock";
constexpr std::chrono::seconds lock_patience{3};
constexpr std::chrono::milliseconds lock_pause{2};

/// "NVIDIA_H200-64_cores-...-0123abcd.json": for people to find it, and the hash to tell it from all others.
std::string file_name(const std::vector<std::string>& machine) {
  constexpr std::size_t readable_most = 80;
  std::string readable;
  std::string all;
  for (const std::string& part : machine) {
    readable += part + '-';
    all += part + '\n';
  }
  std::string name;
  for (const char c : readable) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    if (is_plain && name.size() < readable_most) name += c;
    if (!is_plain && !name.empty() && name.back() != '-' && name.back() != '_') name += c == '-' ? '-' : '_';
  }
  name.erase(0, name.find_first_not_of('.'));  // hidden files are not found
  return fmt::format("{}-{}.json", name.substr(0, name.find_last_not_of("-_") + 1),
                     observe::content_hash(all).substr(0, 8));
}

/// Makes the folder and those above it that are missing, all for the user alone. 0 or an errno.
int make_folders(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return 0;
  if (errno != ENOENT || folder.parent_path() == folder) return errno;
  if (const int error = make_folders(folder.parent_path()); error != 0) return error;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST ? 0 : errno;
}

/// Waits for its turn, but not for ever: the other one may have been stopped. 0 or an errno.
int lock(const observe::Descriptor& file) {
  const auto deadline = std::chrono::steady_clock::now() + lock_patience;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > deadline) return errno;
    std::this_thread::sleep_for(lock_pause);
  }
  return 0;
}

std::string to_text(const std::vector<std::string>& machine, const std::vector<CostEntry>& entries) {
  Json costs = Json::array();
  for (const CostEntry& entry : entries) {
    costs.push_back({{"kernel", entry.kernel},
                     {"kind", entry.kind},
                     {"footprint", fmt::format("{:016x}", entry.work.footprint)},
                     {"amount", entry.work.amount},
                     {"mean_ns", entry.mean_ns},
                     {"samples", entry.samples}});
  }
  const Json document{{"format", 1}, {"program", program}, {"machine", machine}, {"costs", std::move(costs)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Throws Json::exception, or std::invalid_argument, where the entry is none.
CostEntry read_entry(const Json& json) {
  const std::string footprint = json.at("footprint").get<std::string>();
  CostEntry entry{.kernel = json.at("kernel").get<std::string>(),
                  .kind = json.at("kind").get<std::string>(),
                  .work = {.footprint = 0, .amount = json.at("amount").get<double>()},
                  .mean_ns = json.at("mean_ns").get<double>(),
                  .samples = json.at("samples").get<std::uint32_t>()};
  const char* const end = footprint.data() + footprint.size();
  const auto read = std::from_chars(footprint.data(), end, entry.work.footprint, 16);
  const bool is_sane = std::isfinite(entry.work.amount) && entry.work.amount >= 0.0 && std::isfinite(entry.mean_ns) &&
                       entry.mean_ns > 0.0 && entry.samples > 0;
  if (read.ec != std::errc() || read.ptr != end || !is_sane) throw std::invalid_argument("no cost");
  return entry;
}

/// Why the text is not what this program wrote for the machine; empty: it is, and `entries` are its.
std::string read_text(const std::string& text, const std::vector<std::string>& machine,
                      std::vector<CostEntry>& entries) {
  try {
    const Json document = Json::parse(text);
    const bool is_ours = document.at("program") == program && document.at("format") == 1;
    if (!is_ours || document.at("machine") != Json(machine)) return "is of another program, version or machine";
    const Json& costs = document.at("costs");
    if (!costs.is_array() || costs.size() > CostFile::entries_most) return "is damaged";
    for (const Json& cost : costs) entries.push_back(read_entry(cost));
    return {};
  } catch (const std::exception&) {
    entries.clear();
    return "is damaged";
  }
}

/// Appends those of `others` that are not there yet, as far as there is room for them in the file and in a model.
void merge(std::vector<CostEntry>& entries, std::vector<CostEntry> others) {
  using Footprint = std::pair<double, std::uint64_t>;
  std::map<std::pair<std::string, std::string>, std::set<Footprint>> known;  // by kernel and kind
  const auto is_new = [&known](const CostEntry& entry) {
    std::set<Footprint>& footprints = known[{entry.kernel, entry.kind}];
    if (footprints.size() == schedule::CostHistory::footprints_most) return false;
    return footprints.emplace(entry.work.amount, entry.work.footprint).second;
  };
  for (CostEntry& other : others) entries.push_back(std::move(other));
  std::erase_if(entries, std::not_fn(is_new));
  if (entries.size() > CostFile::entries_most) entries.resize(CostFile::entries_most);
}

std::filesystem::path absolute_path_in(const char* variable) {
  const char* const text = std::getenv(variable);
  const std::filesystem::path path = text != nullptr ? text : "";
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::optional<std::filesystem::path> cost_folder() {
  if (const auto cache = absolute_path_in("XDG_CACHE_HOME"); !cache.empty()) return cache / "penstock";
  if (const auto home = absolute_path_in("HOME"); !home.empty()) return home / ".cache" / "penstock";
  return std::nullopt;
}

CostFile::CostFile(std::filesystem::path folder, std::vector<std::string> machine)
    : folder_(std::move(folder)), machine_(std::move(machine)), name_(file_name(machine_)) {}

CostFile::Loaded CostFile::load() const {
  struct stat status {};
  if (::stat(folder_.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) return {};
  Loaded loaded;
  const observe::Descriptor folder = open_folder(loaded.note);
  return folder.valid() ? load_from(folder) : loaded;
}

std::string CostFile::save(std::vector<CostEntry> entries) const {
  if (const int error = make_folders(folder_); error != 0) return note("cannot make its folder", error);
  std::string why;
  const observe::Descriptor folder = open_folder(why);
  if (!folder.valid()) return why;
  const observe::Descriptor turn(::openat(folder.get(), lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!turn.valid()) return note("cannot make its lock", errno);
  if (const int error = lock(turn); error != 0) return note("cannot be locked", error);
  merge(entries, load_from(folder).entries);
  const int error = observe::replace_file_at(folder.get(), name_.c_str(), to_text(machine_, entries));
  return error == 0 ? "" : note("cannot be written", error);
}

observe::Descriptor CostFile::open_folder(std::string& why) const {
  observe::Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!folder.valid() || ::fstat(folder.get(), &status) != 0) {
    why = note("cannot open its folder", errno);
    return {};
  }
  if (status.st_uid != ::geteuid()) {
    why = note("its folder belongs to another user");
    return {};
  }
  return folder;
}

CostFile::Loaded CostFile::load_from(const observe::Descriptor& folder) const {
  std::string text;
  const int error = observe::read_file_at(folder.get(), name_.c_str(), bytes_most, text);
  if (error == ENOENT) return {};
  if (error != 0) return {.entries = {}, .note = note("cannot be read", error)};
  Loaded loaded;
  const std::string why = read_text(text, machine_, loaded.entries);
  if (!why.empty()) loaded.note = note(why + "; it is not used, and replaced at the end of a run");
  return loaded;
}

std::string CostFile::note(const std::string& why) const {
  return fmt::format("costs of kernels in {}: {}", observe::clipped(path().string(), 400), why);
}

std::string CostFile::note(const std::string& what, int error) const {
  return note(fmt::format("{}: {}", what, std::generic_category().message(error)));
}

}  // namespace penstock::runtime
