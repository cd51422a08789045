/// What happens to the whole process while sessions live: fork() and exit().
///
/// fork() copies the memory of a session but none of its threads: in the child it can only be left alone, which
/// whoever holds one finds out by the epoch. The child may make sessions of its own.
///
/// exit(), from any thread, inside a kernel too, or the return of main(): the sessions that are left are stopped, which
/// waits for the bodies that run, a second at most. If some still run then, their static objects must not go under
/// them: standard output is flushed, and the process ends there and then with the code that exit() was given, without
/// the handlers and destructors that would have followed. From the beginning of the stop on other threads of the
/// program do not return from calls: what they then saw would be no true picture.
///
/// Any thread may call.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace penstock::runtime::process {

/// What is to be stopped when the process exits.
class Tenant {
 public:
  /// Nothing more is begun. Returns at once, throws nothing.
  virtual void stop() = 0;
  /// Whether nothing runs any more, but for what the calling thread does.
  [[nodiscard]] virtual bool stopped() const = 0;

 protected:
  ~Tenant() = default;
};

/// From now on, until remove(), exit() stops it. Neither in a forked child.
void add(Tenant& tenant);
/// Before its end begins. While the process exits, it returns on the thread that called exit() only.
void remove(Tenant& tenant);

/// Has exit() stop the tenants before it destroys those static objects whose constructors have ended by now.
void stop_before_statics();

/// Changes in the child when the process forks, and when it exits. It orders nothing.
inline std::atomic<std::uint32_t> current_epoch{0};
[[nodiscard]] inline std::uint32_t epoch() { return current_epoch.load(std::memory_order_relaxed); }
/// How often this process and its parents have forked.
[[nodiscard]] inline std::uint32_t forks() { return epoch() / 2; }
/// Whether tenants have been stopped, or are about to be.
[[nodiscard]] inline bool exits() { return epoch() % 2 == 1; }

/// Of this process, without a call of the system; 0 before the first tenant.
inline std::atomic<pid_t> current_id{0};
[[nodiscard]] inline pid_t id() { return current_id.load(std::memory_order_relaxed); }

/// Whether the calling thread has called exit(). Only while exits().
[[nodiscard]] bool exits_here();
/// Keeps the calling thread until the process has ended.
[[noreturn]] void await_end();

}  // namespace penstock::runtime::process
