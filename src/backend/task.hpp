/// A task of this rank, from its admission to its settlement: what the pure machine, the edges and a device need of it,
/// side by side.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "backend/lineage.hpp"
#include "cluster/messages.hpp"
#include "coherence/gpu_memories.hpp"
#include "coherence/replica_table.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "device/device.hpp"
#include "executor/node.hpp"
#include "schedule/cost_history.hpp"

namespace penstock::backend {

/// The bytes of a replica. Stays in place and is used again.
struct Storage {
  std::byte* data = nullptr;  ///< host memory; null until it is needed
  std::size_t bytes = 0;
  coherence::BlockIndex block = coherence::no_block;  ///< on a rank with GPUs
  int home = 0;                                       ///< there: the device that was to write it last
  Made made = {};                                     ///< there: how, by what has begun
  core::DataId data_id = {};                          ///< there: of which it holds, ...
  core::Version version = {};                         ///< ... as far as has begun, this version
};

/// Records stay in place and are used again. Filled at admission, under the back-end's mutex; from then until the node
/// has finished read by whoever runs it (ordered by the node's last release).
struct Task {
  enum class Kind : std::uint8_t { compute, touch, fetch, remake };

  struct Place {
    cluster::OperandKind kind;
    core::DataId data;
    Storage* in;
    Storage* out;
    core::Version reads;
    core::Version writes;
  };

  Kind kind = Kind::compute;
  coherence::SlotIndex slot;
  std::uint32_t ticket = 0;
  core::TaskId task;
  core::Attempt attempt;
  core::DeviceId device;
  int cores = 1;
  core::KernelId kernel_id;
  const KernelDescription* kernel = nullptr;
  std::vector<std::byte> parameters;
  std::string name;  // that the program gave it
  std::vector<Place> places;
  std::vector<ArrayView> views;
  std::vector<device::Work> panels;
  std::vector<device::Duplicate> duplicates;  // on a GPU
  schedule::Workload work;                    // on a rank with GPUs
  double predicted_ns = 0;                    // there
  bool is_placed = false;                     // there: its device counts it
  executor::Node node;

  // Panels end on several lanes: each decrement is acquire-release, so the last sees what the others noted below.
  std::atomic<int> panels_left{0};
  // Set by the first panel that fails, which then alone writes `message`.
  std::atomic<bool> failed{false};
  std::atomic<std::int64_t> busy_ns{0};  // a sum; read after panels_left
  std::mutex preparing;                  // guards `preparation`: the first panel prepares, the others wait for it
  enum class Preparation : std::uint8_t { none, ready, refused } preparation = Preparation::none;
  bool cancelled = false;
  bool lost = false;  // with the failure: what it reads was
  std::string message;
};

/// How one ended, until it is settled.
struct Finished {
  Task* task = nullptr;
  core::TaskId cause;
  core::Outcome outcome = core::Outcome::done;
};

}  // namespace penstock::backend
