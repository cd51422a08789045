#include "runtime/session.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <penstock/error.hpp>
#include <penstock/version.hpp>

#include "core/cores.hpp"
#include "core/gpu_sharing.hpp"
#include "device/cpu/topology.hpp"
#include "frontend/cluster_frontend.hpp"
#include "frontend/local_frontend.hpp"
#include "kernels/blas.hpp"
#include "kernels/checked.hpp"
#include "kernels/table.hpp"
#include "kernels/without_gpus.hpp"
#include "runtime/commands.hpp"
#include "runtime/handshake.hpp"
#include "runtime/run_plugins.hpp"
#include "runtime/trace_description.hpp"

namespace penstock::runtime {

namespace {

// Rank 0 reads the traces of all ranks at the end: a run of many ranks keeps less of each.
constexpr double gpu_memory_share = 0.9;  // of what is free: libraries and kernels need some of their own
constexpr std::size_t gpu_slots = 16;     // tasks in hand that keep a GPU busy and let it choose
constexpr double pinned_share = 0.25;
constexpr std::int64_t trace_bytes_of_all_most = std::int64_t{2} << 30;
constexpr std::int64_t trace_bytes_of_rank_least = std::int64_t{1} << 20;
// Whoever counts in quarters of a window does not overflow.
constexpr std::uint64_t window_tasks_most = std::uint64_t{1} << 60;

/// Of a GPU's free memory, for one rank.
double memory_share(const core::OwnGpu& gpu) { return gpu_memory_share / gpu.sharers; }

/// As far as can be told before the rank has opened its GPUs, of which it may have less.
cluster::RankSize size_of(const cluster::Hello& hello, const cluster::Welcome& share, std::int64_t gpu_bytes_most) {
  double most = 0.0;
  for (const core::OwnGpu& gpu : share.gpus) {
    const auto bytes = static_cast<double>(hello.visible_gpus[static_cast<std::size_t>(gpu.index)].memory_bytes);
    most = std::max(most, bytes * memory_share(gpu));
  }
  if (gpu_bytes_most > 0) most = std::min(most, static_cast<double>(gpu_bytes_most));
  return {.cores = static_cast<int>(share.cores.size() + gpu_slots * share.gpus.size()),
          .gpu_bytes = static_cast<std::int64_t>(most)};
}

}  // namespace

Session::Session(const SessionOptions& options)
    : connection_(options.alone),
      mover_(&connection_.mover()),
      gpus_(options.use_cuda && !options.cores_only() ? device::CudaGpus::find()
                                                      : device::CudaGpus::none("no GPU: not asked for")) {
  kernels::blas_use_one_thread();
  if (is_front())
    welcome_ranks(options);
  else
    join(options);
}

cluster::Hello Session::describe(const SessionOptions& options) {
  cluster::Hello own = describe_rank(gpus_, connection_.mpi(), options.serial ? 1 : options.workers);
  host_ = own.cores.host;
  memory_bytes_ = own.memory_bytes;
  return own;
}

void Session::join(const SessionOptions& options) {
  // A launcher hands signals on to all ranks; rank 0 tells the others what to do. It runs as soon as all have said
  // hello.
  ignored_.emplace(true);
  const auto plugins = await_plugins(*mover_);
  dismissed_ = !plugins;
  if (dismissed_) return;
  std::string plugin_failure = load_ordered_plugins(*plugins);
  cluster::Hello own = describe(options);  // with the kernels of the plugins
  own.plugin_failure = std::move(plugin_failure);
  const Answer answer = introduce(*mover_, own);
  dismissed_ = !answer.welcome;
  if (dismissed_) return;
  start_backend(options, answer.share);
  attach();
  for (const auto& message : answer.early) driver_->hear(message);
  process::add(*this);
}

void Session::welcome_ranks(const SessionOptions& options) {
  if (ranks() > 1 && (options.serial || options.schedule_seed)) {
    refuse("a serial run, and one with a seed of the schedule, has one rank, not " + std::to_string(ranks()),
           ErrorCode::invalid_argument);
  }
  if (options.serial && options.schedule_seed) {
    refuse("a serial run keeps the order of the program: leave the seed of the schedule out",
           ErrorCode::invalid_argument);
  }
  prepare(options);
  const std::vector<cluster::Hello> hellos = gather(*mover_, describe(options));
  if (const std::string differs = difference(hellos); !differs.empty()) {
    refuse(differs);
  }
  const auto without =
      std::ranges::find_if(hellos, [](const cluster::Hello& hello) { return hello.visible_gpus.empty(); });
  if (!options.use_cpu && without != hellos.end()) {
    const std::string rank = "rank " + std::to_string(without - hellos.begin()) + " (" + without->cores.host + ")";
    refuse("only GPUs were asked for, but " + rank + " has " + without->gpus);
  }
  std::vector<cluster::Welcome> welcomes = shares(hellos);
  std::vector<cluster::RankSize> sizes;
  for (std::size_t rank = 0; rank < welcomes.size(); ++rank) {
    welcomes[rank].checked = options.checked;
    if (options.checked) welcomes[rank].gpus.clear();
    sizes.push_back(size_of(hellos[rank], welcomes[rank], options.gpu_bytes));
  }
  try {
    start_backend(options, welcomes.front());
  } catch (const Error& error) {
    refuse(error.what());
  }
  sizes.front().gpu_bytes = static_cast<std::int64_t>(backend_->gpu_memory_most());
  welcome(*mover_, welcomes);
  start_frontend(options, sizes);
}

void Session::prepare(const SessionOptions& options) {
  try {
    if (options.prepare) options.prepare();
  } catch (const Error& error) {
    refuse(error.what(), error.code());
  }
  order_plugins(*mover_, plugins_to_order());
}

void Session::refuse(const std::string& why, ErrorCode code) {
  // A launcher ends all ranks as soon as one of them fails, perhaps before this one has said why: so only this one
  // fails.
  dismiss(*mover_);
  connection_.leave_in_order();
  throw Error(code, why);
}

void Session::start_backend(const SessionOptions& options, const cluster::Welcome& share) {
  cores_ = share.cores;
  driver_ = std::make_unique<Driver>(*mover_);
  if (share.checked) watched_.emplace(kernels::checked(kernels::KernelTable::process().all()));
  backend_ = std::make_unique<backend::Backend>(kernels(), *mover_, *driver_);
  device::Completions& completions = backend_->completions_for_next_device();
  auto cores = std::make_unique<device::CpuDevice>(
      device::CpuDevice::Options{.cores = cores_, .pin = true, .seed = options.schedule_seed}, completions);
  cpu_ = cores.get();
  backend_->add_device({.name = "", .device = std::move(cores)});
  engine_ = std::make_unique<engine::Engine>(kernels(), cpu_->workers(), buffers_);
  add_gpus(options, share);
  backend::Placement* const placement = backend_->placement();
  if (placement == nullptr) return;
  placement->use(schedule::policy_of(options.placement));
  if (!options.use_cpu) placement->keep_cores_free();
}

std::span<const KernelDescription* const> Session::kernels() const {
  return (watched_ ? *watched_ : kernels::KernelTable::process()).all();
}

void Session::add_gpus(const SessionOptions& options, const cluster::Welcome& share) {
  std::vector<int> own;
  for (const core::OwnGpu& gpu : share.gpus) own.push_back(gpu.index);
  std::optional<int> first;
  for (const core::OwnGpu& gpu : share.gpus) {
    try {
      add_gpu({.index = gpu.index,
               .memory_share = memory_share(gpu),
               .memory_most = static_cast<std::size_t>(options.gpu_bytes),
               .peers = own});
      first = first.value_or(gpu.index);
    } catch (const Error& error) {
      if (!options.use_cpu) throw;
      std::fprintf(stderr, "penstock: rank %d: %s is not used: %s\n", mover_->rank().value(),
                   gpus_.gpus()[static_cast<std::size_t>(gpu.index)].name.c_str(), error.what());
    }
  }
  if (!first) return;
  // All ranks of the host together bind no more than a share of its memory.
  const auto share_bytes = static_cast<double>(memory_bytes_) * pinned_share / static_cast<double>(share.host_ranks);
  use_pinned(*first, static_cast<std::size_t>(options.pinned_bytes.value_or(static_cast<std::int64_t>(share_bytes))));
  recall_costs(share);
}

/// What tasks took in earlier runs on such a machine.
void Session::recall_costs(const cluster::Welcome& share) {
  const std::optional<std::filesystem::path> folder = cost_folder();
  if (!folder) return;
  std::vector<std::string> machine;
  for (const core::OwnGpu& gpu : share.gpus) {
    machine.push_back(gpus_.gpus()[static_cast<std::size_t>(gpu.index)].name);
  }
  machine.push_back(gpus_.gpus().front().software);
  machine.push_back(device::cpu_name());
  machine.push_back(std::to_string(cores_.size()) + " cores");
  machine.emplace_back(version());
  const CostFile file(*folder, std::move(machine));
  const CostFile::Loaded loaded = file.load();
  if (!loaded.note.empty()) std::fprintf(stderr, "penstock: %s\n", loaded.note.c_str());
  backend_->placement()->recall(loaded.entries);
  if (share.host_rank == 0) costs_ = file;
}

void Session::keep_costs() {
  if (!costs_) return;
  const std::string note = costs_->save(backend_->placement()->costs());
  if (!note.empty()) std::fprintf(stderr, "penstock: %s\n", note.c_str());
}

/// For what goes to GPUs and comes from them.
void Session::use_pinned(int gpu, std::size_t bytes_most) {
  if (bytes_most == 0) return;
  backend_->use_pinned({.allocate = [this, gpu](std::size_t bytes) { return gpus_.allocate_pinned(gpu, bytes); },
                        .free = [this](void* memory) { gpus_.free_pinned(memory); }},
                       bytes_most);
}

void Session::add_gpu(const device::GpuOptions& gpu) {
  const backend::Backend::GpuOwner owner = backend_->owner_of_next_gpu();
  backend_->add_gpu(gpus_.gpus()[static_cast<std::size_t>(gpu.index)].name,
                    gpus_.open(gpu, owner.completions, owner.transfers));
}

/// Tasks that only GPUs could run are then refused.
void Session::do_without_gpus(const SessionOptions& options) {
  const auto kernels = kernels::KernelTable::process().all();
  if (!kernels::any_for_gpus_only(kernels)) return;
  std::string why = gpus_.why_none().empty() ? "no GPU: none could be opened" : gpus_.why_none();
  if (options.cores_only()) why = "no GPU for a checked or serial run, nor for one with a seed of the schedule";
  without_gpus_.emplace(kernels::without_gpus(kernels, why));
}

void Session::start_frontend(const SessionOptions& options, std::span<const cluster::RankSize> ranks) {
  if (std::ranges::all_of(ranks, [](const cluster::RankSize& rank) { return rank.gpu_bytes == 0; })) {
    do_without_gpus(options);
  }
  const frontend::Window window{.tasks = std::min(options.window.tasks, window_tasks_most),
                                .bytes = options.window.bytes};
  if (ranks.size() == 1 && backend_->devices() == 1) {
    frontend_ = std::make_unique<frontend::LocalFrontend>(
        *engine_,
        frontend::LocalFrontend::Options{.window = window, .serial = options.serial, .back_end = driver_.get()});
  } else {
    frontend_ =
        std::make_unique<frontend::ClusterFrontend>(ranks, window, kernels::KernelTable::process().all(), *driver_);
  }
  attach();
  driver_thread_ = std::thread([this] { drive(); });
  process::add(*this);
}

void Session::attach() {
  trace_ = std::make_unique<RankTrace>(*backend_, *engine_, *mover_, frontend_.get());
  driver_->attach(*backend_, frontend_.get(), *trace_,
                  [this](const cluster::TraceOrder& order) { static_cast<void>(begin_trace(order, "{}")); });
}

bool Session::record(const std::filesystem::path& folder, std::int64_t bytes, const std::string& about) {
  const std::int64_t share = std::max(trace_bytes_of_all_most / ranks(), trace_bytes_of_rank_least);
  const cluster::TraceOrder order{.folder = folder.string(), .bytes = std::min(bytes, share)};
  std::vector<std::byte> message;
  core::ByteWriter writer(message);
  write(writer, order);
  for (int rank = 1; rank < ranks(); ++rank) mover_->post(core::RankId(rank), message);
  return begin_trace(order, about);
}

bool Session::begin_trace(const cluster::TraceOrder& order, const std::string& about) {
  try {
    trace_->begin(order.folder, order.bytes, describe_for_trace(*backend_, host_, about));
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "penstock: rank %d goes on without a trace: %s\n", mover_->rank().value(), error.what());
    return false;
  }
}

void Session::drive() {
  try {
    driver_->run();
  } catch (const std::exception& error) {
    failure_ = error.what();
    frontend_->break_off(failure_);
  }
}

cluster::Bye Session::stop_backend() {
  cluster::Bye bye;
  bye.host = host_;
  bye.cores = core::to_text(cores_);
  backend_->stop(bye.devices);
  keep_costs();
  const engine::Engine::Statistics ran = engine_->statistics();
  const frontend::Frontend::OwnWork own = is_front() ? frontend_->own_work() : frontend::Frontend::OwnWork();
  bye.devices.front().tasks += ran.tasks + own.tasks;
  bye.devices.front().busy_ns += ran.busy_ns + own.busy_ns;
  trace_->end();
  return bye;
}

std::vector<cluster::Bye> Session::end() {
  process::remove(*this);
  frontend_->finish();
  mover_->wake();
  driver_thread_.join();
  if (!failure_.empty()) {
    connection_.leave_in_disorder();
    throw Error(ErrorCode::lost, failure_);
  }
  driver_->say_bye(stop_backend());
  connection_.leave_in_order();
  return driver_->byes();
}

int Session::serve() {
  if (dismissed_) return exit_code::all_done;
  try {
    driver_->run();
    process::remove(*this);
    driver_->say_bye(stop_backend());
    return exit_code::all_done;
  } catch (const Error& error) {
    process::remove(*this);
    connection_.leave_in_disorder();
    throw Error(error.code() == ErrorCode::environment ? ErrorCode::lost : error.code(), error.what());
  }
}

// --- at exit() ---

void Session::stop() {
  try {
    if (is_front())
      frontend_->cancel();
    else
      backend_->cancel();
  } catch (const std::exception&) {  // a peer is broken: the launcher tells it
  }
  cpu_->workers().close();
  driver_->abandon();
}

bool Session::stopped() const {
  const int own = cpu_->workers().current() != nullptr ? 1 : 0;
  return cpu_->lanes_ended() >= cpu_->lanes() - own && !driver_->runs();
}

Session::~Session() {
  process::remove(*this);
  if (!driver_thread_.joinable()) return;
  try {
    frontend_->cancel();
    frontend_->drain();
    end();
  } catch (const std::exception&) {  // what broke the run was reported where it did
    driver_->abandon();
    if (driver_thread_.joinable()) driver_thread_.join();
  }
}

}  // namespace penstock::runtime
