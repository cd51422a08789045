#include "support/interleavings.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>
#include <utility>

#include "support/fiber.hpp"
#include "support/random.hpp"

namespace penstock::support {

namespace {

constexpr std::size_t operations_most = 10'000;  // of one run: more is a loop that waits for another thread

constexpr unsigned bit(int thread) { return 1U << static_cast<unsigned>(thread); }
int lowest(unsigned threads) { return std::countr_zero(threads); }

}  // namespace

std::string to_string(const Schedule& schedule) {
  std::string text;
  for (const int thread : schedule) {
    if (!text.empty()) text += ' ';
    text += std::to_string(thread);
  }
  return text;
}

std::string to_string(const Exploration& exploration) {
  const std::string count = std::to_string(exploration.schedules) + " schedules";
  if (!exploration.fault) return count;
  return count + "; with {" + to_string(exploration.fault->schedule) + "}: " + exploration.fault->what;
}

// --- choosers ---

bool AllSchedules::begin() {
  depth_ = 0;
  if (!std::exchange(begun_, true)) return true;
  while (!path_.empty() && path_.back().left == 0) path_.pop_back();
  if (path_.empty()) return false;
  Choice& last = path_.back();
  last.thread = lowest(last.left);
  last.left &= ~bit(last.thread);
  return true;
}

int AllSchedules::choose(unsigned able) {
  if (depth_ == path_.size()) path_.push_back({lowest(able), able & ~bit(lowest(able))});
  return path_[depth_++].thread;
}

bool RandomSchedules::begin() {
  if (begun_ == options_.schedules) return false;
  Random random(options_.seed + begun_++);
  longest_ = std::max(longest_, operations_);
  operations_ = 0;
  priorities_.resize(Interleaver::threads_most);
  std::iota(priorities_.begin(), priorities_.end(), 1);
  for (std::size_t i = priorities_.size(); i > 1; --i) std::swap(priorities_[i - 1], priorities_[random.below(i)]);
  falls_.clear();
  for (int i = 1; i < options_.depth; ++i) falls_.push_back(random.below(longest_));
  return true;
}

int RandomSchedules::choose(unsigned able) {
  int best = lowest(able);
  for (int thread = best + 1; thread < Interleaver::threads_most; ++thread) {
    if ((able & bit(thread)) == 0) continue;
    if (priorities_[static_cast<std::size_t>(thread)] > priorities_[static_cast<std::size_t>(best)]) best = thread;
  }
  const auto fall = std::ranges::find(falls_, operations_);
  ++operations_;
  if (fall != falls_.end()) priorities_[static_cast<std::size_t>(best)] = static_cast<int>(falls_.begin() - fall) - 1;
  return best;
}

bool OneSchedule::begin() { return !std::exchange(begun_, true); }

int OneSchedule::choose(unsigned able) {
  const int thread = depth_ < schedule_.size() ? schedule_[depth_++] : lowest(able);
  return (able & bit(thread)) != 0 ? thread : lowest(able);
}

// --- fibers ---

struct Interleaver::Fibers {
  struct Thread {
    Fibers* all = nullptr;
    int number = 0;
    Fiber fiber;

    Thread(Fibers& fibers, int own) : all(&fibers), number(own), fiber(&Fibers::live, this) {}
  };
  enum class Phase : std::uint8_t { stopped, starting, running };

  static thread_local Fibers* current;

  const Body body;
  std::deque<Thread> threads;
  Fiber outside;
  void* scenario = nullptr;
  Chooser* chooser = nullptr;
  Phase phase = Phase::stopped;
  unsigned able = 0;
  int running = 0;
  Schedule schedule;

  Fibers(int count, Body thread_body) : body(thread_body) {
    for (int number = 0; number < count; ++number) threads.emplace_back(*this, number);
  }

  Fiber& fiber(int thread) { return threads[static_cast<std::size_t>(thread)].fiber; }

  /// A fiber's life: one scenario after the other.
  static void live(void* argument) {
    const Thread& own = *static_cast<Thread*>(argument);
    for (;;) {
      own.all->body(own.all->scenario, own.number);
      own.all->able &= ~bit(own.number);
      own.all->leave(own.number);
    }
  }

  /// The thread is before an operation, or has ended; returns when it goes on.
  void leave(int thread) {
    if (phase == Phase::starting || able == 0 || schedule.size() == operations_most) {
      return fiber(thread).hand_over_to(outside);
    }
    choose();
    if (running != thread) fiber(thread).hand_over_to(fiber(running));
  }

  void choose() {
    running = chooser->choose(able);
    schedule.push_back(running);
  }
};

thread_local Interleaver::Fibers* Interleaver::Fibers::current = nullptr;

Interleaver::Interleaver(int threads, Body body) : fibers_(new Fibers(threads, body)) {}
Interleaver::~Interleaver() { delete fibers_; }
const Schedule& Interleaver::schedule() const { return fibers_->schedule; }

bool Interleaver::run(void* scenario, Chooser& chooser) {
  Fibers& fibers = *fibers_;
  Fibers::current = fibers_;
  fibers.scenario = scenario;
  fibers.chooser = &chooser;
  fibers.schedule.clear();
  fibers.able = bit(static_cast<int>(fibers.threads.size())) - 1;
  fibers.phase = Fibers::Phase::starting;
  for (Fibers::Thread& thread : fibers.threads) {
    fibers.running = thread.number;
    fibers.outside.hand_over_to(thread.fiber);  // up to its first operation
  }
  fibers.phase = Fibers::Phase::running;
  if (fibers.able != 0) {
    fibers.choose();
    fibers.outside.hand_over_to(fibers.fiber(fibers.running));
  }
  fibers.phase = Fibers::Phase::stopped;
  Fibers::current = nullptr;
  return fibers.able == 0;
}

void Interleaver::point() {
  if (Fibers* const fibers = Fibers::current) fibers->leave(fibers->running);
}

}  // namespace penstock::support
