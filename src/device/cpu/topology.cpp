#include "device/cpu/topology.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "device/cpu/affinity.hpp"
#include "device/cpu/cgroup.hpp"

namespace penstock::device {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

/// With OMP_PROC_BIND the OpenMP runtime has bound the main thread to its first place before main() began; the places
/// still hold all cores of the original mask.
core::CoreSet cores_of_places() {
  core::CoreSet cores;
  if (omp_get_proc_bind() == omp_proc_bind_false) return cores;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    core::CoreSet of_place(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, of_place.data());
    cores.insert(cores.end(), of_place.begin(), of_place.end());
  }
  return cores;
}

core::CoreSet read_mask(const core::CoreSet& online) {
  core::CoreSet mask = cores_of_process();
  core::CoreSet usable;
  std::ranges::set_intersection(mask, online, std::back_inserter(usable));
  return usable.empty() ? mask : usable;  // no list of online cores, or one of another machine: the mask decides
}

std::int64_t total_memory(std::string_view meminfo) {
  constexpr std::string_view key = "MemTotal:";
  const std::size_t at = meminfo.find(key);
  if (at == std::string_view::npos) return 0;
  const std::size_t digits = std::min(meminfo.find_first_not_of(' ', at + key.size()), meminfo.size());
  std::int64_t kib = 0;
  std::from_chars(meminfo.data() + digits, meminfo.data() + meminfo.size(), kib);
  return kib * 1024;
}

std::string quota_text(double quota) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", quota);
  return text.data();
}

}  // namespace

core::CoreSet cores_of_process() {
  core::CoreSet cores = read_affinity();
  const core::CoreSet places = cores_of_places();
  cores.insert(cores.end(), places.begin(), places.end());
  std::ranges::sort(cores);
  cores.erase(std::ranges::unique(cores).begin(), cores.end());
  return cores;
}

int parse_omp_num_threads(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool ends_well = end == text.data() + text.size() || *end == ',' || *end == ' ';
  return error == std::errc() && ends_well && number > 0 ? number : 0;
}

Machine read_machine(const std::filesystem::path& root) {
  const core::CoreSet online = parse_core_list(read_text(root / "sys/devices/system/cpu/online"));
  const CgroupLimits limits = read_cgroup_limits(root);
  Machine machine;
  machine.allowed = {.host = host_name(), .mask = read_mask(online), .quota = limits.cores};
  machine.cores_online = static_cast<int>(std::max(online.size(), machine.allowed.mask.size()));
  if (const char* threads = std::getenv("OMP_NUM_THREADS")) machine.workers_most = parse_omp_num_threads(threads);
  machine.memory_bytes = total_memory(read_text(root / "proc/meminfo"));
  machine.memory_limit_bytes = limits.memory_bytes;
  return machine;
}

core::AllowedCores read_allowed_cores() { return read_machine().allowed; }

core::CoreSet limit_workers(core::CoreSet share, const Machine& machine) {
  const auto most = static_cast<std::size_t>(machine.workers_most);
  if (most > 0 && share.size() > most) share.resize(most);
  return share;
}

std::string explain(const Machine& machine) {
  const core::AllowedCores& allowed = machine.allowed;
  std::size_t cores = allowed.mask.size();
  std::string why;
  const auto add = [&](const std::string& reason) { why += (why.empty() ? ": " : "; ") + reason; };
  if (static_cast<int>(cores) < machine.cores_online) add("affinity mask " + core::to_text(allowed.mask));
  if (allowed.quota > 0.0 && allowed.quota < static_cast<double>(cores)) {
    cores = static_cast<std::size_t>(std::ceil(allowed.quota));
    add("cgroup quota " + quota_text(allowed.quota));
  }
  if (machine.workers_most > 0 && static_cast<std::size_t>(machine.workers_most) < cores) {
    cores = static_cast<std::size_t>(machine.workers_most);
    add("OMP_NUM_THREADS=" + std::to_string(machine.workers_most));
  }
  if (why.empty()) why = ": all that are online";
  return std::to_string(cores) + " of " + std::to_string(machine.cores_online) + " cores" + why;
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

}  // namespace penstock::device
