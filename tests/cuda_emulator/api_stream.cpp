// Streams, events and host functions.
#include "cuda_emulator/process.hpp"

using penstock::emulator::call;
using penstock::emulator::call_that_looks;
using penstock::emulator::current_gpu;
using penstock::emulator::Engine;
using penstock::emulator::EventState;
using penstock::emulator::Process;

namespace {

cudaError_t make_stream(Process& process, cudaStream_t* stream, unsigned flags) {
  const bool is_blocking = (flags & cudaStreamNonBlocking) == 0;
  *stream = new CUstream_st{process.queues().add_stream(current_gpu(), false, is_blocking)};
  return cudaSuccess;
}

cudaError_t make_event(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st{std::make_shared<EventState>(current_gpu()), (flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}

int gpu_of(cudaStream_t stream) { return stream != nullptr && stream->state ? stream->state->device : current_gpu(); }

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return call("cudaStreamCreate", [&](Process& process) { return make_stream(process, stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call("cudaStreamCreateWithFlags", [&](Process& process) { return make_stream(process, stream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
  return call("cudaStreamCreateWithPriority", [&](Process& process) { return make_stream(process, stream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", [&](Process& process) {
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    process.queues().remove(stream->state);
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call_that_looks("cudaStreamSynchronize", gpu_of(stream), [&](Process& process) {
    process.queues().wait_for(*process.find(stream));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call_that_looks("cudaStreamQuery", gpu_of(stream), [&](Process& process) {
    return process.queues().is_idle(*process.find(stream)) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  return call("cudaStreamWaitEvent", [&](Process& process) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    process.queues().await(process.find(stream), event->state);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call("cudaEventCreate", [&](Process& /*process*/) { return make_event(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call("cudaEventCreateWithFlags", [&](Process& /*process*/) { return make_event(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", [&](Process& /*process*/) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call("cudaEventRecord", [&](Process& process) {
    const auto state = process.find(stream);
    if (event == nullptr || event->state->device != state->device) return cudaErrorInvalidResourceHandle;
    process.queues().record(state, event->state);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call_that_looks("cudaEventQuery", event != nullptr ? event->state->device : 0, [&](Process& process) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    return process.queues().has_passed(*event->state) ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call_that_looks("cudaEventSynchronize", event != nullptr ? event->state->device : 0, [&](Process& process) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    process.queues().wait_for(*event->state);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call("cudaEventElapsedTime", [&](Process& process) {
    if (begin == nullptr || end == nullptr || !begin->has_time || !end->has_time) return cudaErrorInvalidResourceHandle;
    if (!process.queues().has_passed(*begin->state) || !process.queues().has_passed(*end->state)) {
      return cudaErrorNotReady;
    }
    const std::int64_t ns = process.queues().reached_ns(*end->state) - process.queues().reached_ns(*begin->state);
    *milliseconds = static_cast<float>(static_cast<double>(ns) * 1e-6);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return call("cudaLaunchHostFunc", [&](Process& process) {
    if (function == nullptr) return cudaErrorInvalidValue;
    process.queues().queue(process.find(stream),
                           {.engine = Engine::host, .end = [function, argument] { function(argument); }});
    return cudaSuccess;
  });
}

}  // extern "C"
