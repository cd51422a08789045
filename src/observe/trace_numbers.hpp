/// What the trace of a run says of how well it used its machines. One thread; only the tasks of all ranks are held at
/// once, and their accesses (see trace_critical_path.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penstock::observe {

class TraceRun;

struct DeviceShare {
  std::string kind;  ///< "cpu" or "cuda"
  std::string name;
  int lanes = 0;            ///< cores, or 1 for all queues of an accelerator, which share it
  double busy_share = 0.0;  ///< of the lanes' time, 0 to 1
};

struct RankShare {
  int rank = 0;
  std::vector<DeviceShare> devices;
};

struct KernelShare {
  std::string kernel;
  std::uint64_t tasks = 0;
  double s = 0.0;
};

/// The longest chain of tasks each of which reads what the one before made. A task of several panels lasts from its
/// first begin to its last end.
struct CriticalPath {
  double s = 0.0;
  std::uint64_t tasks = 0;
  std::vector<KernelShare> kernels;  ///< those that make most of it, the greatest first
};
inline constexpr std::size_t critical_kernels_most = 5;

/// Where events were dropped, this is of what is left: from when on every lane is complete.
struct TraceNumbers {
  double span_s = 0.0;          ///< from the first beginning of a task or transfer to the last end
  double compute_s = 0.0;       ///< of all tasks and panels together
  double transfer_s = 0.0;      ///< in which a rank had a transfer under way, of all ranks together
  double parallelism = 0.0;     ///< compute_s / span_s
  std::uint64_t transfers = 0;  ///< between ranks, and between the memories of one
  std::uint64_t transfer_bytes = 0;
  /// The share of transfer_s in which a lane of the same rank computed; absent: no transfers.
  std::optional<double> overlap;
  CriticalPath critical_path;
  std::vector<RankShare> ranks;
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
};

/// Reads each rank's trace again; throws Error (environment) where that fails.
[[nodiscard]] TraceNumbers count_numbers(const TraceRun& run);

}  // namespace penstock::observe
