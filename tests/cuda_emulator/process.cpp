#include "cuda_emulator/process.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace penstock::emulator {

namespace {

std::atomic<bool> unloading{false};

}  // namespace

Process& Process::get() {
  static Process* const process = new Process;
  return *process;
}

Process::Process() : pid_(getpid()) {
  const Settings& settings = Settings::get();
  for (const int physical : settings.visible) {
    gpus_.push_back(std::make_unique<Gpu>(physical, settings.memory_bytes));
    gpus_.back()->peers.resize(settings.visible.size());
  }
  queues_ = std::make_unique<Queues>(gpus());
  for (int index = 0; index < gpus(); ++index) gpu(index).default_stream.state = queues_->add_stream(index, true, true);
  std::atexit([] { get().end(); });
}

/// Before the libraries that the engines use, as the BLAS of the host, have ended. A process that was forked has none.
void Process::end() {
  unloading = true;
  if (getpid() == pid_) queues_->stop();
}

std::shared_ptr<StreamState> Process::find(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return gpu(current_gpu()).default_stream.state;
  return stream->state;
}

int Process::owner_of(const void* address) {
  for (int index = 0; index < gpus(); ++index) {
    if (gpu(index).memory.holds(address)) return index;
  }
  return -1;
}

std::optional<cudaError_t> Process::fault_of(const char* name) {
  const std::vector<Fault>& faults = Settings::get().faults;
  if (faults.empty()) return std::nullopt;
  const std::lock_guard lock(fault_mutex_);
  const std::uint64_t count = ++calls_[name];
  for (const Fault& fault : faults) {
    if (fault.name == name && fault.call == count) return static_cast<cudaError_t>(fault.code);
  }
  return std::nullopt;
}

cudaError_t Process::refusal() const {
  if (unloading.load(std::memory_order_relaxed)) return cudaErrorCudartUnloading;
  if (getpid() != pid_) return cudaErrorInitializationError;
  if (Queues::in_host_function()) return cudaErrorNotPermitted;
  return static_cast<cudaError_t>(sticky_.load(std::memory_order_relaxed));
}

int& current_gpu() {
  thread_local int index = 0;
  return index;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

}  // namespace penstock::emulator
