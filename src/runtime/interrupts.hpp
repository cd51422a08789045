/// Ctrl-C and the signals of launchers, as a level that the run looks at: 1 drains, 2 cancels, a third Ctrl-C ends the
/// process. SIGUSR1 drains (batch systems send it before the time limit), SIGTERM and SIGHUP cancel. One object at a
/// time; the former handlers come back when it goes.
#pragma once

#include <csignal>

namespace penstock::runtime {

class Interrupts {
 public:
  enum class Level : int { none = 0, drain = 1, cancel = 2 };

  /// `ignore`: ranks other than 0 do not react; rank 0 tells them what to do.
  explicit Interrupts(bool ignore);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  [[nodiscard]] static Level level();

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  struct sigaction user_before_ {};
  struct sigaction hang_up_before_ {};
};

}  // namespace penstock::runtime
