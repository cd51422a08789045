#include "runtime/interrupts.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string_view>

namespace penstock::runtime {

namespace {

constexpr int interrupted_exit = 130;

// Written by signal handlers, read by the main thread: a level only, it orders nothing.
std::atomic<int> current_level{0};
static_assert(std::atomic<int>::is_always_lock_free);

void raise_to(int level) {
  int before = current_level.load(std::memory_order_relaxed);
  while (before < level && !current_level.compare_exchange_weak(before, level, std::memory_order_relaxed)) {
  }
}

[[noreturn]] void end_at_once() {
  constexpr std::string_view line = "penstock: ended at once: no summary and no report of this run\n";
  static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
  _exit(interrupted_exit);
}

void handle(int signal) {
  if (signal == SIGTERM || signal == SIGHUP)
    raise_to(2);
  else if (signal == SIGUSR1)
    raise_to(1);
  else if (current_level.fetch_add(1, std::memory_order_relaxed) >= 2)
    end_at_once();
}

}  // namespace

Interrupts::Interrupts(bool ignore) {
  current_level.store(0, std::memory_order_relaxed);
  struct sigaction action {};
  action.sa_handler = ignore ? SIG_IGN : handle;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
  sigaction(SIGUSR1, &action, &user_before_);
  sigaction(SIGHUP, &action, &hang_up_before_);
}

Interrupts::~Interrupts() {
  current_level.store(0, std::memory_order_relaxed);
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sigaction(SIGUSR1, &user_before_, nullptr);
  sigaction(SIGHUP, &hang_up_before_, nullptr);
  current_level.store(0, std::memory_order_relaxed);
}

Interrupts::Level Interrupts::level() {
  return static_cast<Level>(std::min(current_level.load(std::memory_order_relaxed), 2));
}

}  // namespace penstock::runtime
