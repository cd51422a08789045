/// The device side of CUDA C++ for the host's compiler, as far as kernels of tests need it: a block's threads are
/// fibres of one thread, which take turns at __syncthreads().
///
///     namespace on_host {
///     #include "some_kernels.cuh"
///     }
///     PENSTOCK_EMULATED_KERNEL("_Z5scalePffi", on_host::scale);   // the name that nvcc gives it
#pragma once

#include <dlfcn.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_emulator/kernel_body.hpp"

#define __global__
#define __device__
#define __shared__ static thread_local

inline thread_local penstock::emulator::Extent threadIdx;
inline thread_local penstock::emulator::Extent blockIdx;
inline thread_local penstock::emulator::Extent blockDim;
inline thread_local penstock::emulator::Extent gridDim;

namespace penstock::emulator {

/// The threads of one block. The calling thread runs them all: one after another on one fibre, until one waits for the
/// others, who then go on on the next.
class Block {
 public:
  explicit Block(std::size_t threads) : threads_(threads) {}

  /// Calls `body` once as each thread.
  template <class Body>
  void run(const Body& body) {
    current_ = this;
    std::size_t used = 0;
    while (begun_ < threads_) {
      Fibre& fibre = fibre_at(used++);
      prepare(fibre, body);
      resume(fibre);
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t i = 0; i < used; ++i) {
        Fibre& fibre = fibre_at(i);
        if (fibre.has_ended) continue;
        place_thread(fibre.thread);
        resume(fibre);
        goes_on = goes_on || !fibre.has_ended;
      }
    }
  }
  /// In a thread: until all others have come so far.
  static void synchronize() {
    Block& block = *current_;
    swapcontext(&block.turn_->context, &block.scheduler_);
  }

 private:
  static constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  struct Fibre {
    ucontext_t context{};
    std::unique_ptr<std::byte[]> stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    std::size_t thread = 0;
    bool has_ended = false;
  };

  /// They serve one block after another.
  static Fibre& fibre_at(std::size_t index) {
    thread_local std::vector<std::unique_ptr<Fibre>> fibres;
    if (index == fibres.size()) fibres.push_back(std::make_unique<Fibre>());
    return *fibres[index];
  }

  template <class Body>
  void prepare(Fibre& fibre, const Body& body) {
    const auto enter = [](unsigned high, unsigned low) {
      current_->run_threads(*reinterpret_cast<const Body*>((std::uintptr_t{high} << 32U) | low));
    };
    const auto address = reinterpret_cast<std::uintptr_t>(&body);
    fibre.has_ended = false;
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.get();
    fibre.context.uc_stack.ss_size = stack_bytes;
    fibre.context.uc_link = &scheduler_;
    void (*const entry)(unsigned, unsigned) = enter;
    makecontext(&fibre.context, reinterpret_cast<void (*)()>(entry), 2, static_cast<unsigned>(address >> 32U),
                static_cast<unsigned>(address & 0xFFFFFFFFU));
  }
  void resume(Fibre& fibre) {
    turn_ = &fibre;
    swapcontext(&scheduler_, &fibre.context);
  }
  /// On a fibre: threads that nobody has begun, as long as there are some.
  template <class Body>
  void run_threads(const Body& body) {
    Fibre& fibre = *turn_;
    while (begun_ < threads_) {
      fibre.thread = begun_++;
      place_thread(fibre.thread);
      body();
    }
    fibre.has_ended = true;
  }
  static void place_thread(std::size_t thread) {
    const auto index = static_cast<unsigned>(thread);
    threadIdx = {index % blockDim.x, index / blockDim.x % blockDim.y, index / blockDim.x / blockDim.y};
  }

  static inline thread_local Block* current_ = nullptr;
  const std::size_t threads_;
  std::size_t begun_ = 0;
  ucontext_t scheduler_{};
  Fibre* turn_ = nullptr;
};

template <auto Kernel>
struct Body;
template <class... Arguments, void (*Kernel)(Arguments...)>
struct Body<Kernel> {
  static constexpr std::size_t argument_bytes[] = {sizeof(Arguments)..., 0};
  static constexpr std::size_t argument_count = sizeof...(Arguments);

  static void run(Extent blocks, Extent threads, std::size_t /*shared_bytes*/, void** arguments) {
    run(blocks, threads, arguments, std::index_sequence_for<Arguments...>());
  }

 private:
  template <std::size_t... Is>
  static void run(Extent blocks, Extent threads, [[maybe_unused]] void** arguments, std::index_sequence<Is...>) {
    blockDim = threads;
    gridDim = blocks;
    for (blockIdx.z = 0; blockIdx.z < blocks.z; ++blockIdx.z) {
      for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y) {
        for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x) {
          Block(std::size_t{threads.x} * threads.y * threads.z).run([&] {
            Kernel(*static_cast<std::remove_cvref_t<Arguments>*>(arguments[Is])...);
          });
        }
      }
    }
  }
};

/// Before main().
struct Emulated {
  explicit Emulated(const KernelBody& body) {
    using Emulate = decltype(&penstock_emulate_kernel);
    if (const auto emulate = reinterpret_cast<Emulate>(dlsym(RTLD_DEFAULT, "penstock_emulate_kernel"))) emulate(&body);
  }
};

}  // namespace penstock::emulator

inline void __syncthreads() { penstock::emulator::Block::synchronize(); }

#define PENSTOCK_EMULATED_JOIN(left, right) left##right
#define PENSTOCK_EMULATED_NAMED(mangled, kernel, number)                                               \
  static constexpr ::penstock::emulator::KernelBody PENSTOCK_EMULATED_JOIN(emulated_body_, number){    \
      mangled, ::penstock::emulator::Body<&kernel>::argument_bytes,                                    \
      ::penstock::emulator::Body<&kernel>::argument_count, &::penstock::emulator::Body<&kernel>::run}; \
  static const ::penstock::emulator::Emulated PENSTOCK_EMULATED_JOIN(emulated_, number) {              \
    PENSTOCK_EMULATED_JOIN(emulated_body_, number)                                                     \
  }
#define PENSTOCK_EMULATED_AT(mangled, kernel, number) PENSTOCK_EMULATED_NAMED(mangled, kernel, number)
#define PENSTOCK_EMULATED_KERNEL(mangled, kernel) PENSTOCK_EMULATED_AT(mangled, kernel, __COUNTER__)
