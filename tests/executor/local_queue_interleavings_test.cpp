// The queue of one worker under all orders of its operations: its owner fills it, the owner and thieves take.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "executor/job.hpp"
#include "executor/local_queue.hpp"
#include "support/interleavings.hpp"

namespace penstock::executor {
namespace {

using Queue = BasicLocalQueue<support::Atomic>;

/// Thread 0 is the owner. The queue has been around its slots `Begun` jobs far.
template <int Threads, int Begun>
class Scene {
 public:
  static constexpr int threads = Threads;

  Scene() {
    for (std::size_t i = 0; i < Begun; ++i) {
      queue.push(&old);
      static_cast<void>(queue.pop());
    }
  }

  [[nodiscard]] std::string wrong() const {
    std::array<int, 128> times{};
    for (const std::vector<Job*>& own : taken) {
      for (const Job* job : own) {
        if (job < jobs.data() || job >= jobs.data() + jobs.size()) return "a job of long ago came again";
        ++times[static_cast<std::size_t>(job - jobs.data())];
      }
      for (std::size_t i = 1; i < own.size(); ++i) {
        if (own[i] < own[i - 1]) return "a younger job came before an older one";
      }
    }
    std::size_t left = pushed;
    for (std::size_t i = 0; i < pushed; ++i) {
      if (times[i] > 1) return "job " + std::to_string(i) + " was taken twice";
      left -= static_cast<std::size_t>(times[i]);
    }
    return queue.size() == left
               ? ""
               : std::to_string(left) + " jobs are left, the queue has " + std::to_string(queue.size());
  }

 protected:
  void push() { queue.push(&jobs[pushed++]); }
  Job* take(int thread) {
    Job* const job = queue.pop();
    if (job != nullptr) taken[static_cast<std::size_t>(thread)].push_back(job);
    return job;
  }

  Queue queue;
  Job old;
  std::array<Job, 128> jobs{};
  std::size_t pushed = 0;
  std::array<std::vector<Job*>, Threads> taken;
};

/// Up to the end of the slots, so that numbers and slots part.
struct OwnerAndTwoThieves : Scene<3, 31> {
  void run(int thread) {
    if (thread == 0) {
      push();
      push();
    } else {
      take(thread);
    }
  }
};

TEST(LocalQueueInterleavings, GiveEachJobToOneOfTwoThieves) {
  const support::Exploration all = support::explore_all<OwnerAndTwoThieves>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 1000U);
}

/// Both want the only job there is, twice.
struct OwnerAndThief : Scene<2, 0> {
  void run(int thread) {
    if (thread == 0) {
      push();
      take(0);
      push();
    } else {
      take(1);
      take(1);
    }
  }
};

TEST(LocalQueueInterleavings, GiveEachJobToItsOwnerOrAThief) {
  const support::Exploration all = support::explore_all<OwnerAndThief>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 10'000U);
}

/// The owner fills all slots again while thieves hold what they have read of them.
struct RoundAndRound : Scene<4, 3> {
  void run(int thread) {
    for (int round = 0; round < 3; ++round) {
      if (thread == 0) {
        for (std::size_t i = 0; i < Queue::capacity; ++i) push();
        while (take(0) != nullptr) {
        }
      } else {
        take(thread);
        take(thread);
      }
    }
  }
};

TEST(LocalQueueInterleavings, GiveEachJobToOneWhenSlotsAreFilledAgain) {
  const support::Exploration some =
      support::explore_randomly<RoundAndRound>({.seed = 5, .schedules = 2000, .depth = 6});

  EXPECT_FALSE(some.fault) << to_string(some);
}

/// A thief that takes whatever the slot holds by now.
class CarelessQueue {
 public:
  void push(Job* job) {
    const std::uint64_t tail = tail_.load();
    slots_[tail % slots_.size()].store(job);
    tail_.store(tail + 1);
  }
  Job* pop() {
    const std::uint64_t head = head_.load();
    if (head >= tail_.load()) return nullptr;
    head_.store(head + 1);
    return slots_[head % slots_.size()].load();
  }

 private:
  support::Atomic<std::uint64_t> head_{0};
  support::Atomic<std::uint64_t> tail_{0};
  std::array<support::Atomic<Job*>, 32> slots_{};
};

struct Careless {
  static constexpr int threads = 2;
  void run(int thread) {
    if (thread == 0) queue.push(&job);
    taken[static_cast<std::size_t>(thread)] = queue.pop();
  }
  [[nodiscard]] std::string wrong() const {
    return taken[0] != nullptr && taken[1] != nullptr ? "the job was taken twice" : "";
  }
  CarelessQueue queue;
  Job job;
  std::array<Job*, 2> taken{};
};

TEST(LocalQueueInterleavings, WouldFindAJobThatIsTakenTwice) {
  const support::Exploration found = support::explore_all<Careless>();

  EXPECT_TRUE(found.fault);
}

}  // namespace
}  // namespace penstock::executor
