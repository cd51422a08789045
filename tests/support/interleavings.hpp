/// An explorer of interleavings, for lock-free parts that take an atomics policy (`template <class> class Atomic`). Its
/// own Atomic makes every operation a scheduling point; the threads of a scenario are fibers of the calling thread, of
/// which one runs at a time, from its next operation up to the one after. What is explored are sequentially consistent
/// interleavings: orders that only weaker memory allows are ThreadSanitizer's and the reviewer's to find.
///
/// A scenario is a class that is made anew for every schedule, outside of any thread:
///
///     struct Scenario {
///       static constexpr int threads = 2;
///       void run(int thread);       // what thread 0, 1, ... does, with Atomic; must not throw nor wait for another
///       one std::string wrong() const;  // after all have ended; empty: nothing is
///     };
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace penstock::support {

/// Which thread goes on, for each operation of a run.
using Schedule = std::vector<int>;

/// "0 0 1 2 1"
[[nodiscard]] std::string to_string(const Schedule& schedule);

/// A schedule with which a scenario went wrong.
struct Fault {
  Schedule schedule;
  std::string what;
};

struct Exploration {
  std::uint64_t schedules = 0;  ///< that were run
  std::optional<Fault> fault;   ///< the first; the exploration ends there
};
/// For the message of a test that failed.
[[nodiscard]] std::string to_string(const Exploration& exploration);

/// Who goes on at each scheduling point.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// A thread of `able`, which has a bit for each that has not ended and is not 0.
  virtual int choose(unsigned able) = 0;
  /// Before the next schedule; false: there is none.
  virtual bool begin() = 0;
};

/// Depth first through all schedules, those in which low threads go on first.
class AllSchedules final : public Chooser {
 public:
  int choose(unsigned able) override;
  bool begin() override;

 private:
  struct Choice {
    int thread = 0;
    unsigned left = 0;  // threads that are yet to be chosen here
  };
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  bool begun_ = false;
};

/// PCT: each thread has a random priority, which falls below all others at a few random points (S. Burckhardt,
/// P. Kothari, M. Musuvathi, S. Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs",
/// ASPLOS 2010). A bug that needs `depth` orders between operations is found with probability 1 / (threads *
/// operations^(depth - 1)) at least by each schedule.
class RandomSchedules final : public Chooser {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::uint64_t schedules = 10'000;
    int depth = 3;
  };
  explicit RandomSchedules(const Options& options) : options_(options) {}
  int choose(unsigned able) override;
  bool begin() override;

 private:
  const Options options_;
  std::uint64_t begun_ = 0;
  std::uint64_t operations_ = 0;  // in this schedule so far
  std::uint64_t longest_ = 1;     // of the schedules so far
  std::vector<int> priorities_;
  std::vector<std::uint64_t> falls_;  // the operations at which the thread that goes on falls behind
};

/// One schedule again. Where it is too short or names a thread that has ended, the lowest one goes on.
class OneSchedule final : public Chooser {
 public:
  explicit OneSchedule(Schedule schedule) : schedule_(std::move(schedule)) {}
  int choose(unsigned able) override;
  bool begin() override;

 private:
  const Schedule schedule_;
  std::size_t depth_ = 0;
  bool begun_ = false;
};

/// The fibers. Threads of one explorer at a time in each thread of the process.
class Interleaver {
 public:
  static constexpr int threads_most = 8;
  using Body = void (*)(void* scenario, int thread);

  Interleaver(int threads, Body body);
  Interleaver(const Interleaver&) = delete;
  Interleaver& operator=(const Interleaver&) = delete;
  ~Interleaver();

  /// One run of all threads. False: it was broken off, since it does not seem to end, and no other may follow.
  bool run(void* scenario, Chooser& chooser);
  [[nodiscard]] const Schedule& schedule() const;

  /// Called before each operation of an Atomic.
  static void point();

 private:
  struct Fibers;
  Fibers* fibers_;
};

/// Drop-in for std::atomic, as far as lock-free parts use it.
template <class T>
class Atomic {
 public:
  Atomic() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as std::atomic has it
  constexpr Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order /*order*/ = std::memory_order_seq_cst) const { return at_point(); }
  void store(T value, std::memory_order /*order*/ = std::memory_order_seq_cst) { at_point() = value; }
  T exchange(T value, std::memory_order /*order*/ = std::memory_order_seq_cst) {
    T& place = at_point();
    const T before = place;
    place = value;
    return before;
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order /*success*/ = std::memory_order_seq_cst,
                               std::memory_order /*failure*/ = std::memory_order_seq_cst) {
    T& place = at_point();
    if (place != expected) {
      expected = place;
      return false;
    }
    place = wanted;
    return true;
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order success = std::memory_order_seq_cst,
                             std::memory_order failure = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, wanted, success, failure);
  }
  T fetch_add(T by, std::memory_order /*order*/ = std::memory_order_seq_cst) {
    T& place = at_point();
    const T before = place;
    place = static_cast<T>(before + by);
    return before;
  }
  T fetch_sub(T by, std::memory_order /*order*/ = std::memory_order_seq_cst) {
    T& place = at_point();
    const T before = place;
    place = static_cast<T>(before - by);
    return before;
  }

 private:
  T& at_point() const {
    Interleaver::point();
    return value_;
  }

  mutable T value_{};
};

/// Runs the scenario with schedule after schedule of the chooser, until one goes wrong or there is none.
template <class Scenario>
Exploration explore(Chooser& chooser) {
  Interleaver interleaver(Scenario::threads,
                          [](void* scenario, int thread) { static_cast<Scenario*>(scenario)->run(thread); });
  Exploration exploration;
  while (chooser.begin()) {
    ++exploration.schedules;
    Scenario scenario;
    const bool ended = interleaver.run(&scenario, chooser);
    const std::string wrong = ended ? scenario.wrong() : std::string("does not end");
    if (wrong.empty()) continue;
    exploration.fault = {interleaver.schedule(), wrong};
    break;
  }
  return exploration;
}

template <class Scenario>
Exploration explore_all() {
  AllSchedules all;
  return explore<Scenario>(all);
}
template <class Scenario>
Exploration explore_randomly(const RandomSchedules::Options& options) {
  RandomSchedules some(options);
  return explore<Scenario>(some);
}
template <class Scenario>
Exploration replay(const Schedule& schedule) {
  OneSchedule one(schedule);
  return explore<Scenario>(one);
}

}  // namespace penstock::support
