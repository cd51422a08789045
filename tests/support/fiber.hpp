/// A stack of its own that runs until it hands over to another one, on one thread: the machinery of Interleaver. It
/// tells the sanitizers where it goes.
#pragma once

#include <cstddef>
#include <memory>

namespace penstock::support {

class Fiber {
 public:
  /// The calling thread's own stack.
  Fiber();
  /// Runs `body(argument)` when it is first resumed; the body must not return.
  Fiber(void (*body)(void*), void* argument);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Goes on there; returns when something resumes this one, which is the one that runs.
  void hand_over_to(Fiber& other);

 private:
  struct State;
  static void start(unsigned high, unsigned low);

  std::unique_ptr<State> state_;
};

}  // namespace penstock::support
