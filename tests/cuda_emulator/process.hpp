/// The emulated CUDA of this process: its GPUs, what each thread has as its current one, and how calls fail.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cuda_emulator/memory.hpp"
#include "cuda_emulator/settings.hpp"
#include "cuda_emulator/stream.hpp"

/// What the program's handles point to.
struct CUstream_st {
  std::shared_ptr<penstock::emulator::StreamState> state;
};
struct CUevent_st {
  std::shared_ptr<penstock::emulator::EventState> state;
  bool has_time = true;
};

namespace penstock::emulator {

struct Gpu {
  Gpu(int physical_index, std::size_t memory_bytes) : physical(physical_index), memory(memory_bytes) {}

  const int physical;  ///< CUDA_VISIBLE_DEVICES chooses among these
  DeviceMemory memory;
  CUstream_st default_stream;
  std::vector<bool> peers;              ///< whose memory it may use
  std::atomic<int> fault{cudaSuccess};  ///< found by an operation: the next call that looks reports it
};

class Process {
 public:
  /// Made by the first call, and never destroyed: threads of the program may call while it exits.
  [[nodiscard]] static Process& get();

  [[nodiscard]] int gpus() const { return static_cast<int>(gpus_.size()); }
  [[nodiscard]] Gpu& gpu(int index) { return *gpus_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] Queues& queues() { return *queues_; }

  /// Of the current GPU's default stream, or the one given.
  [[nodiscard]] std::shared_ptr<StreamState> find(cudaStream_t stream);

  // Under memory_mutex(): gpu(i).memory and pinned().
  [[nodiscard]] QuietMutex& memory_mutex() { return memory_mutex_; }
  [[nodiscard]] PinnedMemory& pinned() { return pinned_; }
  /// The GPU whose memory holds the address; -1: it is the host's.
  [[nodiscard]] int owner_of(const void* address);

  /// The code with which this call of `name` is to fail.
  [[nodiscard]] std::optional<cudaError_t> fault_of(const char* name);
  /// From now on every call fails with it: the process's CUDA is dead.
  void break_with(cudaError_t error) { sticky_.store(error, std::memory_order_relaxed); }
  /// What keeps any call from working; success: nothing does.
  [[nodiscard]] cudaError_t refusal() const;

 private:
  Process();
  void end();

  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::unique_ptr<Queues> queues_;
  QuietMutex memory_mutex_;
  PinnedMemory pinned_;
  QuietMutex fault_mutex_;
  std::map<std::string, std::uint64_t, std::less<>> calls_;  // by name, where a fault is set
  std::atomic<int> sticky_{cudaSuccess};
  const int pid_;
};

/// Of the calling thread.
[[nodiscard]] int& current_gpu();
[[nodiscard]] cudaError_t& last_error();

/// What every function does: `body` unless the call is refused; what comes of it is the thread's last error, if it is
/// one.
template <class Body>
cudaError_t call(const char* name, const Body& body) {
  Process& process = Process::get();
  cudaError_t error = process.refusal();
  if (error == cudaSuccess && process.gpus() == 0) error = cudaErrorNoDevice;
  if (error == cudaSuccess) error = process.fault_of(name).value_or(cudaSuccess);
  if (error == cudaSuccess) error = body(process);
  if (error != cudaSuccess) last_error() = error;
  return error;
}

/// The same for a call that finds out what operations of the GPU have found.
template <class Body>
cudaError_t call_that_looks(const char* name, int gpu, const Body& body) {
  return call(name, [&](Process& process) -> cudaError_t {
    const cudaError_t error = body(process);
    const auto fault = static_cast<cudaError_t>(process.gpu(gpu).fault.load(std::memory_order_relaxed));
    if (fault == cudaSuccess || error == cudaErrorNotReady) return error;
    process.break_with(fault);
    return fault;
  });
}

}  // namespace penstock::emulator
