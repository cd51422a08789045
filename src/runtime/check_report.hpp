/// What `penstock check` prints of a job, for people and for programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/graph_summary.hpp"

namespace penstock::runtime {

struct CheckReport {
  std::string file;  ///< as it was given
  std::string job;
  jobs::GraphSummary graph;
  std::int64_t memory_bytes = 0;  ///< that this process may use of its machine; 0: not known
};

/// The kinds of devices that have a body of the kernel, whether there is such a device or not.
[[nodiscard]] std::vector<std::string> device_kinds(const KernelDescription& kernel);

/// What of the job does not fit this machine, a line each.
[[nodiscard]] std::vector<std::string> warnings(const CheckReport& report);

/// At most a screen of aligned lines.
[[nodiscard]] std::string to_screen(const CheckReport& report);

/// {"format": 1, "file", "job", "tasks", "kernels", "data", "files", "graph", "largest_task", ...}, ending in a line
/// break. What is not known is null.
[[nodiscard]] std::string to_json(const CheckReport& report);

}  // namespace penstock::runtime
