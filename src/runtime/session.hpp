/// One run of penstock in this process, from finding the other ranks to the last message: the place where all layers
/// meet. Made on the main thread of every rank. On rank 0 the main thread is then the program's, and a driver thread
/// works; on the other ranks the main thread becomes the driver in serve().
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/runtime.hpp>

#include "backend/backend.hpp"
#include "cluster/front_machine.hpp"
#include "cluster/messages.hpp"
#include "device/cpu/cpu_device.hpp"
#include "device/cuda/loader.hpp"
#include "engine/engine.hpp"
#include "frontend/frontend.hpp"
#include "kernels/table.hpp"
#include "memory/host_pool.hpp"
#include "mover/mover.hpp"
#include "runtime/connection.hpp"
#include "runtime/cost_file.hpp"
#include "runtime/driver.hpp"
#include "runtime/interrupts.hpp"
#include "runtime/process.hpp"
#include "runtime/rank_trace.hpp"

namespace penstock::runtime {

struct SessionOptions {
  int workers = 0;  ///< per rank; 0: all of its share
  frontend::Window window;
  bool use_cpu = true;
  bool use_cuda = true;
  bool alone = false;  ///< look for no launcher
  /// As Options::checked; what rank 0 is given holds for all.
  bool checked = false;
  bool serial = false;                                        ///< as Options::serial
  std::optional<std::uint64_t> schedule_seed = std::nullopt;  ///< as Options::schedule_seed
  std::int64_t gpu_bytes = 0;                                 ///< as Options::gpu_bytes
  std::optional<std::int64_t> pinned_bytes = std::nullopt;    ///< as Options::pinned_bytes
  std::string placement = Options{}.placement;                ///< as Options::placement
  /// Rank 0, before anything is begun: looks whether the run can be, and loads its plugins, before the kernel table is
  /// made. All that this process has loaded then, by load_plugin() too, is loaded on the other ranks, and must be the
  /// same files there. What it throws, the constructor throws. May be absent.
  std::function<void()> prepare = nullptr;

  /// GPUs are left alone, even where they are asked for.
  [[nodiscard]] bool cores_only() const { return checked || serial || schedule_seed; }
};

class Session final : private process::Tenant {
 public:
  /// Finds the other ranks, compares, and starts the back-end. Throws Error on the rank that has to report; other ranks
  /// then get a session that was dismissed. It must be ended on rank 0, served on the others.
  explicit Session(const SessionOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Without end() or serve() before, for an exception: ends the run as far as that is possible.
  ~Session();

  [[nodiscard]] bool is_front() const { return mover_->rank() == core::front_rank; }
  [[nodiscard]] int ranks() const { return mover_->ranks(); }

  /// Rank 0 only.
  [[nodiscard]] frontend::Frontend& frontend() { return *frontend_; }
  [[nodiscard]] backend::Backend& backend() { return *backend_; }
  /// Rank 0: those of the process, as this run checks tasks against them.
  [[nodiscard]] const kernels::KernelTable& kernel_table() const {
    return without_gpus_ ? *without_gpus_ : kernels::KernelTable::process();
  }
  /// Rank 0, before the first task: the report says how busy this rank's cores were, without a trace too.
  void measure() { engine_->measure(); }

  /// Rank 0, before the first task: has every rank record what happens, in files of `folder`, which is there and which
  /// all ranks share. `bytes` is the most for each rank's events; less where there are many ranks. `about` is JSON of
  /// the whole run: its members join the description of rank 0. A rank that cannot says so on standard error and goes
  /// on; false when it is rank 0.
  bool record(const std::filesystem::path& folder, std::int64_t bytes, const std::string& about);
  /// Rank 0: see RankTrace.
  [[nodiscard]] trace::Lane* front_lane() { return trace_->front_lane(); }

  /// Rank 0: ends all ranks, once no task is in flight; returns what each did. The others return 0 whatever the run
  /// came to: a launcher kills all ranks as soon as one of them fails, perhaps before rank 0 has reported. Throws Error
  /// (lost) when a rank was lost meanwhile.
  std::vector<cluster::Bye> end();

  /// Other ranks: drives the back-end until rank 0 ends the run; returns its exit code.
  [[nodiscard]] int serve();

 private:
  [[noreturn]] void refuse(const std::string& why, ErrorCode code = ErrorCode::environment);
  void prepare(const SessionOptions& options);
  [[nodiscard]] cluster::Hello describe(const SessionOptions& options);
  void join(const SessionOptions& options);           ///< other ranks
  void welcome_ranks(const SessionOptions& options);  ///< rank 0
  void start_backend(const SessionOptions& options, const cluster::Welcome& share);
  void start_frontend(const SessionOptions& options, std::span<const cluster::RankSize> ranks);
  void do_without_gpus(const SessionOptions& options);
  void add_gpus(const SessionOptions& options, const cluster::Welcome& share);
  void add_gpu(const device::GpuOptions& gpu);
  void use_pinned(int gpu, std::size_t bytes_most);
  void recall_costs(const cluster::Welcome& share);
  void keep_costs();
  [[nodiscard]] std::span<const KernelDescription* const> kernels() const;
  void attach();
  bool begin_trace(const cluster::TraceOrder& order, const std::string& about);
  void drive();
  [[nodiscard]] cluster::Bye stop_backend();
  void stop() override;
  [[nodiscard]] bool stopped() const override;

  Connection connection_;
  mover::Mover* const mover_;  ///< the connection's
  bool dismissed_ = false;
  std::optional<Interrupts> ignored_;            ///< on other ranks, from before rank 0 hears of them
  std::optional<kernels::KernelTable> watched_;  ///< where tasks are checked: the kernels to run
  /// On rank 0 of a run without GPUs, where it makes a difference.
  std::optional<kernels::KernelTable> without_gpus_;
  std::string host_;
  std::int64_t memory_bytes_ = 0;  ///< of the host
  core::CoreSet cores_;
  device::CudaGpus gpus_;
  std::optional<CostFile> costs_;  ///< on one rank of a host, with GPUs
  std::unique_ptr<Driver> driver_;
  memory::HostPool buffers_;  ///< of the engine
  /// Runs the tasks of a program on one rank, and those that tasks submit.
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<frontend::Frontend> frontend_;  ///< before the back-end, whose workers report to it until they end
  std::unique_ptr<backend::Backend> backend_;
  device::CpuDevice* cpu_ = nullptr;  ///< the back-end's
  std::unique_ptr<RankTrace> trace_;
  std::thread driver_thread_;  ///< rank 0
  std::string failure_;        ///< of the driver thread; read after it was joined
};

}  // namespace penstock::runtime
