/// Several ranks in one process, for tests: what a session makes on each rank, over the loopback transport, with a
/// thread a rank as its driver. The test's thread is the program of rank 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include <penstock/kernel.hpp>

#include "backend/backend.hpp"
#include "cluster/messages.hpp"
#include "device/cuda/loader.hpp"
#include "engine/engine.hpp"
#include "executor/workers.hpp"
#include "frontend/frontend.hpp"
#include "kernels/table.hpp"
#include "memory/host_pool.hpp"
#include "mover/mover.hpp"
#include "runtime/driver.hpp"
#include "runtime/rank_trace.hpp"

namespace penstock::tests {

struct ClusterShape {
  int ranks = 1;                                     ///< 0: one, whose tasks pass the engine only
  int cores = 2;                                     ///< of each rank; not pinned
  std::optional<std::uint64_t> seed = std::nullopt;  ///< for the order in which workers run tasks
  int gpus = 0;                                      ///< of the machine, which all ranks use; `cuda` finds them
  std::size_t ranks_without_gpus = 0;                ///< but these, the first ones
  std::size_t gpu_memory = 0;                        ///< of each, for each rank; 0: a tenth
  std::size_t pinned_bytes = 0;                      ///< of each rank's host memory
  const device::CudaGpus* cuda = nullptr;
  bool gpus_first = false;  ///< cores run only what no GPU can
  frontend::Window window{.tasks = 16'384, .bytes = std::int64_t{1} << 30};
  std::filesystem::path trace_folder = {};  ///< empty: nothing is recorded
  std::int64_t trace_bytes = std::int64_t{1} << 20;
};

class LocalCluster {
 public:
  explicit LocalCluster(const ClusterShape& shape);
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;
  /// As end().
  ~LocalCluster();

  [[nodiscard]] frontend::Frontend& frontend() { return *frontend_; }

  /// A task of a kernel of this process, with all its parameters. `operation`: by which its first access reduces.
  void submit(std::string_view kernel, std::span<const graph::Access> accesses, std::span<const Parameter> parameters,
              Place place = {}, const char* operation = nullptr);

  /// A value in rank 0's memory; waits for it. Throws TaskError.
  template <class T>
  std::vector<T> read(core::DataId data, std::int64_t elements) {
    const frontend::Pinned pinned = frontend_->bring(data);
    const auto* const first = reinterpret_cast<const T*>(pinned.bytes);
    std::vector<T> values(first, first + elements);
    frontend_->unpin(pinned);
    return values;
  }
  /// Waits for all tasks, ends all ranks and joins their threads. Afterwards only byes() may be called.
  void end();
  /// What each rank did, once the cluster has ended.
  [[nodiscard]] const std::vector<cluster::Bye>& byes() const { return ranks_.front()->driver.byes(); }

 private:
  struct Rank {
    explicit Rank(std::unique_ptr<transport::Transport> transport);
    mover::Mover mover;
    runtime::Driver driver;
    backend::Backend backend;
    std::optional<runtime::RankTrace> trace;
    executor::Workers* workers = nullptr;  // the back-end's
    std::thread thread;
  };
  static void add_gpus(Rank& rank, const ClusterShape& shape);
  static void drive(Rank& rank);

  memory::HostPool buffers_;  // of the engines
  std::vector<std::unique_ptr<engine::Engine>> engines_;
  std::unique_ptr<frontend::Frontend> frontend_;  // outlives the workers
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::byte> encoded_;
  bool ended_ = false;
};

}  // namespace penstock::tests
