#include "device/cpu/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace penstock::device {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

/// All of `text` but blanks around it must be the number.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// mountinfo writes blanks and backslashes as three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const bool escaped = text[i] == '\\' && i + 3 < text.size() &&
                         std::from_chars(&text[i] + 1, &text[i] + 4, code, 8).ptr == &text[i] + 4;
    plain += escaped ? static_cast<char>(code) : text[i];
    if (escaped) i += 3;
  }
  return plain;
}

std::optional<double> ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

template <class Number>
void lower(Number& limit, std::optional<Number> other) {
  if (other && (limit == Number{} || *other < limit)) limit = *other;
}

/// What one folder sets; files that are not there set nothing.
void apply_folder(const std::filesystem::path& folder, bool unified, CgroupLimits& limits) {
  if (unified) {
    lower(limits.cores, parse_cpu_max(read_text(folder / "cpu.max")));
    lower(limits.memory_bytes, parse_memory_limit(read_text(folder / "memory.max")));
  } else {
    lower(limits.cores,
          parse_cfs_quota(read_text(folder / "cpu.cfs_quota_us"), read_text(folder / "cpu.cfs_period_us")));
    lower(limits.memory_bytes, parse_memory_limit(read_text(folder / "memory.limit_in_bytes")));
  }
}

bool belongs(const CgroupMembership& membership, const CgroupMount& mount) {
  if (mount.unified || membership.controllers.empty()) return mount.unified && membership.controllers.empty();
  return std::ranges::any_of(membership.controllers, [&](const std::string& controller) {
    return (controller == "cpu" || controller == "memory") && contains(mount.options, controller);
  });
}

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  for (const std::string& line : split(text, '\n')) {  // "4:cpu,cpuacct:/path"; the path may hold colons
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    memberships.push_back(
        {split(std::string_view(line).substr(first + 1, second - first - 1), ','), line.substr(second + 1)});
  }
  return memberships;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string& line : split(mountinfo, '\n')) {
    // "32 31 0:29 /root /point rw,relatime optional... - cgroup source rw,cpu"
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    const std::string& type = *(dash + 1);
    if (type != "cgroup" && type != "cgroup2") continue;
    mounts.push_back({unescape(words[3]), unescape(words[4]), type == "cgroup2", split(*(dash + 3), ',')});
  }
  return mounts;
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  return ratio(parse_number<std::int64_t>(text.substr(0, blank)), parse_number<std::int64_t>(text.substr(blank + 1)));
}

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) {
  return ratio(parse_number<std::int64_t>(quota), parse_number<std::int64_t>(period));
}

std::optional<std::int64_t> parse_memory_limit(std::string_view text) {
  constexpr std::int64_t unlimited = std::int64_t{1} << 62;  // version 1 rounds the largest number down to a page
  const auto bytes = parse_number<std::int64_t>(text);
  if (!bytes || *bytes <= 0 || *bytes >= unlimited) return std::nullopt;
  return bytes;
}

core::CoreSet parse_core_list(std::string_view text) {
  constexpr int core_most = 1 << 20;
  core::CoreSet cores;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (const std::string& part : split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number<int>(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_number<int>(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last > core_most) continue;
    for (int core = *first; core <= *last; ++core) cores.push_back(core);
  }
  std::ranges::sort(cores);
  cores.erase(std::ranges::unique(cores).begin(), cores.end());
  return cores;
}

std::vector<std::string> limiting_folders(const CgroupMount& mount, std::string_view path) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  const bool inside = path.substr(0, root.size()) == root && (path.size() == root.size() || path[root.size()] == '/');
  std::string below(inside ? path.substr(root.size()) : path);
  while (!below.empty() && below.back() == '/') below.pop_back();

  std::vector<std::string> folders;
  while (!below.empty()) {
    if (below.find("/..") == std::string::npos) folders.push_back(mount.point + below);  // a place outside the mount
    below.resize(std::min(below.rfind('/'), below.size() - 1));
  }
  folders.push_back(mount.point);
  return folders;
}

CgroupLimits read_cgroup_limits(const std::filesystem::path& root) {
  CgroupLimits limits;
  const auto mounts = parse_cgroup_mounts(read_text(root / "proc/self/mountinfo"));
  for (const CgroupMembership& membership : parse_cgroup_memberships(read_text(root / "proc/self/cgroup"))) {
    for (const CgroupMount& mount : mounts) {
      if (!belongs(membership, mount)) continue;
      for (const std::string& folder : limiting_folders(mount, membership.path)) {
        apply_folder(root / std::filesystem::path(folder).relative_path(), mount.unified, limits);
      }
    }
  }
  return limits;
}

}  // namespace penstock::device
