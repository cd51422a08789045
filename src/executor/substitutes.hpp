/// Spare threads that work on a lane while the thread before them waits inside its job. They are made when first
/// needed, kept, and used again; the destructor ends and joins them. The owner is the team's Workers, which says what
/// they do; any worker calls begin().
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace penstock::executor {

class Substitutes {
 public:
  /// What a spare thread calls for each lane that it is given, in this order.
  struct Calls {
    std::function<void(int lane)> enter;  ///< only when the lane is another than its last
    std::function<void(int lane)> work;   ///< until the lane is wanted back
    std::function<void(int lane)> leave;  ///< the thread may be given another lane already; at once
  };

  Substitutes(std::size_t most, Calls calls) : most_(most), calls_(std::move(calls)) {}
  Substitutes(const Substitutes&) = delete;
  Substitutes& operator=(const Substitutes&) = delete;
  /// All lanes must have been left.
  ~Substitutes();

  /// A spare thread begins to work on the lane; returns at once. Throws Error (environment) when there are `most`
  /// already, or the system gives no more.
  void begin(int lane);
  /// How many work. A hint.
  [[nodiscard]] std::size_t busy() const { return busy_.load(std::memory_order_relaxed); }

 private:
  struct Spare {
    static constexpr int no_lane = -1;
    int lane = no_lane;  // that it is to work on next
    std::condition_variable called;
    std::thread thread;
  };
  Spare& make();
  void live(Spare& spare);
  [[nodiscard]] int next_lane(Spare& spare);
  void rest(Spare& spare);

  const std::size_t most_;
  const Calls calls_;

  std::mutex mutex_;  ///< guards what follows, and the spares but for their threads
  std::vector<std::unique_ptr<Spare>> spares_;
  std::vector<Spare*> idle_;  ///< the last that came is taken first
  bool ended_ = false;
  std::atomic<std::size_t> busy_{0};  ///< those that are not idle; read without the mutex too
};

}  // namespace penstock::executor
