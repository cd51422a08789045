#include "support/fiber.hpp"

#include <ucontext.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/sanitizers.hpp"

#if defined(PENSTOCK_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#elif defined(PENSTOCK_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace penstock::support {

namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;

}  // namespace

struct Fiber::State {
  ucontext_t context{};
  std::vector<std::byte> stack;  // empty: the thread's
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  const void* bottom = nullptr;  // of the stack, and its size; of the thread's known once it was left
  std::size_t bytes = 0;
  State* left = nullptr;  // which handed over to this one last
  void* sanitizer = nullptr;

  void arrive([[maybe_unused]] void* fake_stack) {
#if defined(PENSTOCK_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_stack, &left->bottom, &left->bytes);
#endif
  }
};

Fiber::Fiber() : state_(std::make_unique<State>()) {
#if defined(PENSTOCK_THREAD_SANITIZER)
  state_->sanitizer = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(void (*body)(void*), void* argument) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.body = body;
  state.argument = argument;
  state.stack.resize(stack_bytes);
  state.bottom = state.stack.data();
  state.bytes = state.stack.size();
  if (getcontext(&state.context) != 0) throw std::runtime_error("no context");
  state.context.uc_stack.ss_sp = state.stack.data();
  state.context.uc_stack.ss_size = state.stack.size();
  const auto bits = reinterpret_cast<std::uintptr_t>(state_.get());
  makecontext(&state.context, reinterpret_cast<void (*)()>(&Fiber::start), 2, static_cast<unsigned>(bits >> 32),
              static_cast<unsigned>(bits));
#if defined(PENSTOCK_THREAD_SANITIZER)
  state.sanitizer = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(PENSTOCK_THREAD_SANITIZER)
  if (!state_->stack.empty()) __tsan_destroy_fiber(state_->sanitizer);
#endif
}

/// makecontext() passes ints only.
void Fiber::start(unsigned high, unsigned low) {
  auto* const state = reinterpret_cast<State*>(std::uintptr_t{high} << 32 | low);
  state->arrive(nullptr);
  state->body(state->argument);
}

void Fiber::hand_over_to(Fiber& other) {
  State& there = *other.state_;
  there.left = state_.get();
  void* fake_stack = nullptr;
#if defined(PENSTOCK_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(&fake_stack, there.bottom, there.bytes);
#elif defined(PENSTOCK_THREAD_SANITIZER)
  __tsan_switch_to_fiber(there.sanitizer, 0);
#endif
  swapcontext(&state_->context, &there.context);
  state_->arrive(fake_stack);
}

}  // namespace penstock::support
