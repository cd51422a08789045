/// The right to work on a lane: one thread has it at any moment, and hands it on when it leaves. Threads that want it
/// queue up. What one holder wrote, the next one sees, so what belongs to a lane needs no lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace penstock::executor {

class Seat {
 public:
  /// A thread's wish for the seat; it stays where it is from wish() to the end of wait().
  class Wish {
   private:
    friend Seat;
    std::condition_variable granted_;
    bool has_it_ = false;  // guarded by the seat's mutex
    Wish* next_ = nullptr;
  };

  /// Whether a thread wants it. Any thread; to all but those under the same mutex as the wishing thread a hint.
  [[nodiscard]] bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

  /// Not the holder. Returns at once; the holder is to be told, if it may be asleep.
  void wish(Wish& wish);
  /// Until the seat is given to this wish.
  void wait(Wish& wish);
  /// The holder gives it to the oldest wish. False: there is none, and the seat is still the caller's.
  [[nodiscard]] bool pass();

 private:
  std::mutex mutex_;  ///< guards what follows, wanted_ when written, and all wishes
  Wish* oldest_ = nullptr;
  Wish* latest_ = nullptr;
  std::atomic<bool> wanted_{false};  ///< whether there is an oldest; read without the mutex too
};

}  // namespace penstock::executor
