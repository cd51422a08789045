#include "runtime/session.hpp"

#include <algorithm>
#include <utility>

#include <penstock/error.hpp>

#include "core/cores.hpp"
#include "device/cpu/cpu_device.hpp"
#include "kernels/blas.hpp"
#include "kernels/table.hpp"
#include "runtime/handshake.hpp"

namespace penstock::runtime {

namespace {

constexpr int bad_input_exit_code = 2;
constexpr int lost_exit_code = 4;

}  // namespace

Session::Session(const SessionOptions& options)
    : connection_(options.alone),
      mover_(&connection_.mover()),
      gpus_(options.use_cuda ? device::CudaGpus::find() : device::CudaGpus::none("not asked for")) {
  kernels::blas_use_one_thread();
  shake_hands(options);
}

void Session::shake_hands(const SessionOptions& options) {
  cluster::Hello own = describe_rank(gpus_, connection_.mpi(), options.workers);
  host_ = own.cores.host;
  if (!is_front()) {
    const Answer answer = introduce(*mover_, own);
    if (!answer.welcome) {
      dismissed_ = answer.exit_code;
      return;
    }
    start_backend(options, answer.share);
    driver_->attach(*backend_, nullptr);
    for (const auto& commands : answer.early) backend_->receive(commands);
    return;
  }
  const std::vector<cluster::Hello> hellos = gather(*mover_, std::move(own));
  if (const std::string differs = difference(hellos); !differs.empty()) {
    refuse(differs);
  }
  const auto without = std::ranges::find(hellos, 0, &cluster::Hello::gpu_count);
  if (!options.use_cpu && without != hellos.end()) {
    refuse("only GPUs were asked for, but there is none on " + without->cores.host + ": " + without->gpus);
  }
  const std::vector<cluster::Welcome> welcomes = shares(hellos);
  std::vector<int> cores;
  for (const cluster::Welcome& welcome : welcomes) cores.push_back(static_cast<int>(welcome.cores.size()));
  try {
    start_backend(options, welcomes.front());
  } catch (const Error& error) {
    refuse(error.what());
  }
  welcome(*mover_, welcomes);
  start_frontend(options, std::move(cores));
}

void Session::refuse(const std::string& why) {
  dismiss(*mover_, bad_input_exit_code);
  connection_.leave_in_order();
  throw Error(ErrorCode::environment, why);
}

void Session::start_backend(const SessionOptions& options, const cluster::Welcome& share) {
  cores_ = share.cores;
  driver_ = std::make_unique<Driver>(*mover_);
  backend_ = std::make_unique<backend::Backend>(kernels::KernelTable::process().all(), *mover_, *driver_);
  device::Completions& completions = backend_->completions_for_next_device();
  backend_->add_device({.name = "",
                        .device = std::make_unique<device::CpuDevice>(
                            device::CpuDevice::Options{.cores = cores_, .pin = true}, completions)});
  add_gpus(share);
  if (!options.use_cpu) backend_->prefer_accelerators();
}

void Session::add_gpus(const cluster::Welcome& share) {
  // Ranks of one host share its GPUs out in turn; where there are more ranks than GPUs, ranks share a GPU.
  const auto gpus = gpus_.gpus();
  const auto here = static_cast<std::size_t>(share.host_rank);
  const auto ranks = static_cast<std::size_t>(share.host_ranks);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool mine = ranks <= gpus.size() ? i % ranks == here : here % gpus.size() == i;
    if (!mine) continue;
    device::Completions& completions = backend_->completions_for_next_device();
    backend_->add_device({.name = gpus[i].name, .device = gpus_.open(static_cast<int>(i), completions)});
  }
}

void Session::start_frontend(const SessionOptions& options, std::vector<int> cores) {
  const kernels::KernelTable& table = kernels::KernelTable::process();
  frontend_ = std::make_unique<frontend::Frontend>(
      cores, options.window, [&table](core::KernelId kernel) { return table[kernel].name; }, *driver_);
  driver_->attach(*backend_, frontend_.get());
  driver_thread_ = std::thread([this] { drive(); });
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
  return bye;
}

std::vector<cluster::Bye> Session::end(int exit_code) {
  frontend_->finish(exit_code);
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
  if (dismissed_) return *dismissed_;
  try {
    const int exit_code = driver_->run();
    driver_->say_bye(stop_backend());
    return exit_code;
  } catch (const Error& error) {
    connection_.leave_in_disorder();
    throw Error(error.code() == ErrorCode::environment ? ErrorCode::lost : error.code(), error.what());
  }
}

Session::~Session() {
  if (!driver_thread_.joinable()) return;
  try {
    frontend_->cancel();
    frontend_->drain();
    end(lost_exit_code);
  } catch (const std::exception&) {  // what broke the run was reported where it did
    driver_->abandon();
    if (driver_thread_.joinable()) driver_thread_.join();
  }
}

}  // namespace penstock::runtime
