// Memory and copies.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>

#include "cuda_emulator/process.hpp"

using penstock::emulator::announce_read;
using penstock::emulator::announce_write;
using penstock::emulator::call;
using penstock::emulator::call_that_looks;
using penstock::emulator::current_gpu;
using penstock::emulator::Engine;
using penstock::emulator::Operation;
using penstock::emulator::poison;
using penstock::emulator::Process;
using penstock::emulator::Settings;
using penstock::emulator::StreamState;

namespace {

constexpr std::size_t host_unit = 4096;

/// One end of a copy: where its bytes are.
struct End {
  std::byte* bytes = nullptr;
  int gpu = -1;  ///< -1: the host's
  bool is_pinned = false;
};

/// Null bytes: the address is a GPU's, but not all of it is of one allocation.
End find(Process& process, const void* address, std::size_t count) {
  const std::lock_guard lock(process.memory_mutex());
  const int gpu = process.owner_of(address);
  if (gpu >= 0) return {process.gpu(gpu).memory.bytes_at(address, count), gpu, false};
  return {static_cast<std::byte*>(const_cast<void*>(address)), -1, process.pinned().holds(address, count)};
}

bool agrees(cudaMemcpyKind kind, const End& to, const End& from) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return to.gpu < 0 && from.gpu < 0;
    case cudaMemcpyHostToDevice:
      return to.gpu >= 0 && from.gpu < 0;
    case cudaMemcpyDeviceToHost:
      return to.gpu < 0 && from.gpu >= 0;
    case cudaMemcpyDeviceToDevice:
      return to.gpu >= 0 && from.gpu >= 0;
    default:
      return true;
  }
}

/// Between GPUs that may not use each other's memory it is staged in the host's, and so moved twice.
std::int64_t time_of_copy(Process& process, const End& to, const End& from, std::size_t count) {
  const std::int64_t once_ns = Settings::get().copy_ns(count);
  if (to.gpu == from.gpu) return 0;
  if (to.gpu < 0 || from.gpu < 0) return once_ns;
  const std::lock_guard lock(process.memory_mutex());
  const auto reaches = [&](int one, int other) { return process.gpu(one).peers[static_cast<std::size_t>(other)]; };
  return reaches(to.gpu, from.gpu) || reaches(from.gpu, to.gpu) ? once_ns : 2 * once_ns;
}

/// Queues it. True: the caller has to wait, since memory that is not pinned is staged for it.
bool queue_copy(Process& process, const std::shared_ptr<StreamState>& stream, const End& to, const End& from,
                std::size_t count) {
  const Engine engine = to.gpu < 0 ? Engine::copies_out : from.gpu < 0 ? Engine::copies_in : Engine::kernels;
  std::atomic<int>& fault = process.gpu(stream->device).fault;
  const auto begin = [to, count] {
    announce_write(to.bytes, count);
    std::memset(to.bytes, poison, count);
  };
  const auto end = [to, from, count, &process, &fault] {
    announce_read(from.bytes, count);
    announce_write(to.bytes, count);
    std::memcpy(to.bytes, from.bytes, count);
    if (const auto error = process.fault_of("copy")) fault = *error;
  };
  const bool overlaps = to.bytes < from.bytes + count && from.bytes < to.bytes + count;
  process.queues().queue(stream, {.engine = engine,
                                  .takes_ns = time_of_copy(process, to, from, count),
                                  .begin = overlaps ? std::function<void()>() : begin,
                                  .end = end});
  const auto is_staged = [](const End& at) { return at.gpu < 0 && !at.is_pinned; };
  return is_staged(to) || is_staged(from);
}

cudaError_t copy(Process& process, void* to, const void* from, std::size_t count, cudaMemcpyKind kind,
                 cudaStream_t handle, bool waits) {
  const auto stream = process.find(handle);
  if (count == 0) return cudaSuccess;
  const End target = find(process, to, count);
  const End source = find(process, from, count);
  if (target.bytes == nullptr || source.bytes == nullptr) return cudaErrorInvalidValue;
  if (!agrees(kind, target, source)) return cudaErrorInvalidValue;
  if (queue_copy(process, stream, target, source, count) || waits) process.queues().wait_for(*stream);
  return cudaSuccess;
}

cudaError_t set(Process& process, void* address, int value, std::size_t count, cudaStream_t handle, bool waits) {
  const auto stream = process.find(handle);
  if (count == 0) return cudaSuccess;
  const End target = find(process, address, count);
  if (target.bytes == nullptr || target.gpu < 0) return cudaErrorInvalidValue;
  process.queues().queue(stream, {.engine = Engine::kernels, .end = [target, value, count] {
                                    announce_write(target.bytes, count);
                                    std::memset(target.bytes, value, count);
                                  }});
  if (waits) process.queues().wait_for(*stream);
  return cudaSuccess;
}

cudaError_t allocate_pinned(Process& process, void** address, std::size_t bytes) {
  *address = nullptr;
  if (bytes == 0) return cudaSuccess;
  const std::size_t whole = (bytes + host_unit - 1) / host_unit * host_unit;
  void* const made = std::aligned_alloc(host_unit, whole);
  if (made == nullptr) return cudaErrorMemoryAllocation;
  std::memset(made, poison, whole);
  const std::lock_guard lock(process.memory_mutex());
  process.pinned().add(made, bytes, true);
  *address = made;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** address, std::size_t bytes) {
  return call("cudaMalloc", [&](Process& process) {
    *address = nullptr;
    if (bytes == 0) return cudaSuccess;
    const std::lock_guard lock(process.memory_mutex());
    *address = process.gpu(current_gpu()).memory.allocate(bytes);
    return *address != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t cudaFree(void* address) {
  return call_that_looks("cudaFree", current_gpu(), [&](Process& process) {
    if (address == nullptr) return cudaSuccess;
    int gpu = -1;
    {
      const std::lock_guard lock(process.memory_mutex());
      gpu = process.owner_of(address);
    }
    if (gpu < 0) return cudaErrorInvalidValue;
    process.queues().wait_for_device(gpu);
    const std::lock_guard lock(process.memory_mutex());
    return process.gpu(gpu).memory.free(address) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", [&](Process& process) {
    const std::lock_guard lock(process.memory_mutex());
    *free = process.gpu(current_gpu()).memory.free_bytes();
    *total = process.gpu(current_gpu()).memory.capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** address, std::size_t bytes) {
  return call("cudaMallocHost", [&](Process& process) { return allocate_pinned(process, address, bytes); });
}

cudaError_t cudaHostAlloc(void** address, std::size_t bytes, unsigned /*flags*/) {
  return call("cudaHostAlloc", [&](Process& process) { return allocate_pinned(process, address, bytes); });
}

cudaError_t cudaFreeHost(void* address) {
  return call_that_looks("cudaFreeHost", current_gpu(), [&](Process& process) {
    if (address == nullptr) return cudaSuccess;
    for (int gpu = 0; gpu < process.gpus(); ++gpu) process.queues().wait_for_device(gpu);
    const std::lock_guard lock(process.memory_mutex());
    if (!process.pinned().remove(address).value_or(false)) return cudaErrorInvalidValue;
    std::free(address);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned /*flags*/) {
  return call("cudaHostRegister", [&](Process& process) {
    if (address == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(process.memory_mutex());
    return process.pinned().add(address, bytes, false) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* address) {
  return call_that_looks("cudaHostUnregister", current_gpu(), [&](Process& process) {
    for (int gpu = 0; gpu < process.gpus(); ++gpu) process.queues().wait_for_device(gpu);
    const std::lock_guard lock(process.memory_mutex());
    return process.pinned().remove(address).has_value() ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return call("cudaPointerGetAttributes", [&](Process& process) {
    const End at = find(process, address, 1);
    *attributes = {};
    attributes->device = at.gpu >= 0 ? at.gpu : current_gpu();
    if (at.gpu >= 0) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = const_cast<void*>(address);
    } else {
      attributes->type = at.is_pinned ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
      attributes->hostPointer = const_cast<void*>(address);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  return call_that_looks("cudaMemcpy", current_gpu(),
                         [&](Process& process) { return copy(process, to, from, count, kind, nullptr, true); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&](Process& process) { return copy(process, to, from, count, kind, stream, false); });
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_gpu, const void* from, int from_gpu, std::size_t count,
                                cudaStream_t stream) {
  return call("cudaMemcpyPeerAsync", [&](Process& process) {
    if (find(process, to, count).gpu != to_gpu || find(process, from, count).gpu != from_gpu) {
      return cudaErrorInvalidValue;
    }
    return copy(process, to, from, count, cudaMemcpyDeviceToDevice, stream, false);
  });
}

cudaError_t cudaMemset(void* address, int value, std::size_t count) {
  return call_that_looks("cudaMemset", current_gpu(),
                         [&](Process& process) { return set(process, address, value, count, nullptr, true); });
}

cudaError_t cudaMemsetAsync(void* address, int value, std::size_t count, cudaStream_t stream) {
  return call("cudaMemsetAsync", [&](Process& process) { return set(process, address, value, count, stream, false); });
}

}  // extern "C"
