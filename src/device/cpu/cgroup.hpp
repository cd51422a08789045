/// What control groups allow this process: processor time and memory, for both versions of cgroups. The parsing is pure
/// functions over the text of the kernel's files; read_cgroup_limits() reads those files under a root folder, so that a
/// test can offer a tree of its own. Nothing here throws for odd content: what cannot be understood sets no limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/cores.hpp"

namespace penstock::device {

/// A line of /proc/self/cgroup. No controllers: the unified hierarchy (version 2).
struct CgroupMembership {
  std::vector<std::string> controllers;
  std::string path;
};

/// A cgroup file system of /proc/self/mountinfo: which of its folders (`root`) is seen at which place (`point`).
struct CgroupMount {
  std::string root;
  std::string point;
  bool unified = false;
  std::vector<std::string> options;  ///< of the file system; version 1 lists its controllers here
};

struct CgroupLimits {
  double cores = 0.0;             ///< 0: no limit
  std::int64_t memory_bytes = 0;  ///< 0: no limit
};

[[nodiscard]] std::vector<CgroupMembership> parse_cgroup_memberships(std::string_view text);
[[nodiscard]] std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);

/// "150000 100000" is 1.5; "max 100000" and garbage are no limit.
[[nodiscard]] std::optional<double> parse_cpu_max(std::string_view text);
/// cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 is no limit.
[[nodiscard]] std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period);
/// "max", the huge number that version 1 shows, and garbage are no limit.
[[nodiscard]] std::optional<std::int64_t> parse_memory_limit(std::string_view text);
/// "0-3,8"; parts that are not ranges are left out.
[[nodiscard]] core::CoreSet parse_core_list(std::string_view text);

/// The folders that may limit a process: its own, then all above it up to the mount point. A path from outside the
/// mounted part (a container that sees another root) leaves both guesses: the same path below the mount, and the mount.
[[nodiscard]] std::vector<std::string> limiting_folders(const CgroupMount& mount, std::string_view path);

/// The smallest limits that hold for this process. `root` stands for "/".
[[nodiscard]] CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// The content of a file, "" when it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

}  // namespace penstock::device
