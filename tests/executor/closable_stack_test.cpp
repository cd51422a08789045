#include "executor/closable_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "support/interleavings.hpp"

namespace penstock::executor {
namespace {

struct Piece {
  Piece* next = nullptr;
  int thread = 0;
  int number = 0;
};

std::vector<int> numbers_of(const Piece* first) {
  std::vector<int> numbers;
  for (; first != nullptr; first = first->next) numbers.push_back(first->number);
  return numbers;
}

TEST(ClosableStack, GivesBackWhatWasPushedOldestFirst) {
  std::array<Piece, 3> pieces{{{.number = 0}, {.number = 1}, {.number = 2}}};
  ClosableStack<Piece> stack;
  EXPECT_FALSE(stack.is_closed());

  for (Piece& piece : pieces) EXPECT_TRUE(stack.push(piece));

  EXPECT_EQ(numbers_of(stack.close()), (std::vector{0, 1, 2}));
  EXPECT_TRUE(stack.is_closed());
}

TEST(ClosableStack, TakesNothingMoreOnceItIsClosed) {
  Piece first;
  Piece late{.number = 7};
  ClosableStack<Piece> stack;
  ASSERT_TRUE(stack.push(first));
  static_cast<void>(stack.close());

  EXPECT_FALSE(stack.push(late));
  EXPECT_FALSE(stack.push(late));

  EXPECT_EQ(first.next, nullptr);
}

TEST(ClosableStack, MayBeClosedEmpty) {
  Piece late;
  ClosableStack<Piece> stack;

  EXPECT_EQ(stack.close(), nullptr);

  EXPECT_TRUE(stack.is_closed());
  EXPECT_FALSE(stack.push(late));
}

TEST(ClosableStack, BeginsANewLifeWhenReopened) {
  Piece piece;
  ClosableStack<Piece> stack;
  ASSERT_TRUE(stack.push(piece));
  static_cast<void>(stack.close());

  stack.reopen();

  EXPECT_FALSE(stack.is_closed());
  EXPECT_TRUE(stack.push(piece));
  EXPECT_EQ(stack.close(), &piece);
}

TEST(ClosableStack, KeepsStacksApart) {
  Piece piece;
  ClosableStack<Piece> closed;
  ClosableStack<Piece> open;

  static_cast<void>(closed.close());

  EXPECT_FALSE(open.is_closed());
  EXPECT_TRUE(open.push(piece));
}

/// What pushers and a closer may see, whatever the order.
template <class Stack, int Pushers, int Each>
struct PushersAndACloser {
  static constexpr int threads = Pushers + 1;

  PushersAndACloser() {
    for (int thread = 0; thread < Pushers; ++thread) {
      for (int number = 0; number < Each; ++number) piece(thread, number) = {nullptr, thread, number};
    }
  }

  void run(int thread) {
    if (thread == Pushers) {
      written_before_close = 42;
      for (const Piece* one = stack.close(); one != nullptr; one = one->next) handed_out.push_back(one);
      return;
    }
    for (int number = 0; number < Each; ++number) {
      const bool pushed = stack.push(piece(thread, number));
      taken[index(thread, number)] = pushed;
      if (!pushed && written_before_close != 42) closed_too_early = true;
    }
  }

  [[nodiscard]] std::string wrong() const {
    if (closed_too_early) return "push() failed before close()";
    if (!stack.is_closed()) return "it is not closed";
    std::array<int, count> times{};
    std::array<int, Pushers> latest{};
    latest.fill(-1);
    for (const Piece* one : handed_out) {
      ++times[index(one->thread, one->number)];
      int& before = latest[static_cast<std::size_t>(one->thread)];
      if (one->number <= before) return "the order of thread " + std::to_string(one->thread) + " is lost";
      before = one->number;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (times[i] != (taken[i] ? 1 : 0)) return "piece " + std::to_string(i) + " came " + std::to_string(times[i]);
      if (taken[i] && i % Each != 0 && !taken[i - 1]) return "a piece was pushed after the closing was seen";
    }
    return "";
  }

  static constexpr std::size_t count = static_cast<std::size_t>(Pushers) * Each;
  static std::size_t index(int thread, int number) { return static_cast<std::size_t>(thread * Each + number); }
  Piece& piece(int thread, int number) { return pieces[index(thread, number)]; }

  Stack stack;
  std::array<Piece, count> pieces{};
  std::array<bool, count> taken{};
  std::vector<const Piece*> handed_out;
  int written_before_close = 0;
  bool closed_too_early = false;
};

using Explored = ClosableStack<Piece, support::Atomic>;

TEST(ClosableStackInterleavings, GiveEveryPieceToOneWithTwoPushers) {
  const support::Exploration all = support::explore_all<PushersAndACloser<Explored, 2, 2>>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 600U);  // 630, and more where an exchange fails
}

TEST(ClosableStackInterleavings, GiveEveryPieceToOneWithThreePushers) {
  const support::Exploration all = support::explore_all<PushersAndACloser<Explored, 3, 1>>();

  EXPECT_FALSE(all.fault) << to_string(all);
  EXPECT_GT(all.schedules, 600U);
}

TEST(ClosableStackInterleavings, GiveEveryPieceToOneWithManyPushers) {
  const support::Exploration some =
      support::explore_randomly<PushersAndACloser<Explored, 6, 5>>({.seed = 11, .schedules = 5000, .depth = 5});

  EXPECT_FALSE(some.fault) << to_string(some);
}

/// Closes in two steps, between which a piece can be pushed and lost.
class TornStack {
 public:
  bool push(Piece& piece) {
    Piece* head = head_.load();
    do {
      if (head == &mark_) return false;
      piece.next = head;
    } while (!head_.compare_exchange_weak(head, &piece));
    return true;
  }
  Piece* close() {
    Piece* latest = head_.load();
    head_.store(&mark_);
    Piece* oldest = nullptr;
    while (latest != nullptr) {
      Piece* const next = std::exchange(latest->next, oldest);
      oldest = std::exchange(latest, next);
    }
    return oldest;
  }
  [[nodiscard]] bool is_closed() const { return head_.load() == &mark_; }

 private:
  Piece mark_;
  support::Atomic<Piece*> head_{nullptr};
};

TEST(ClosableStackInterleavings, WouldFindAStackThatClosesInTwoSteps) {
  using Scenario = PushersAndACloser<TornStack, 2, 2>;

  const support::Exploration found = support::explore_all<Scenario>();

  ASSERT_TRUE(found.fault);
  EXPECT_EQ(support::replay<Scenario>(found.fault->schedule).fault->what, found.fault->what);
  EXPECT_TRUE((support::explore_randomly<PushersAndACloser<TornStack, 6, 5>>({.seed = 1, .schedules = 1000}).fault));
}

TEST(ClosableStack, LosesNothingBetweenRealThreads) {
  constexpr int rounds = 300;
  constexpr int each = 50;
  int wrong = 0;

  for (int round = 0; round < rounds; ++round) {
    ClosableStack<Piece> stack;
    std::array<std::array<Piece, each>, 2> pieces{};
    std::array<int, 2> pushed{};
    int handed_out = 0;
    {
      std::vector<std::jthread> pushers;
      for (std::size_t own = 0; own < pieces.size(); ++own) {
        pushers.emplace_back([&, own] {
          for (Piece& piece : pieces[own]) pushed[own] += stack.push(piece) ? 1 : 0;
        });
      }
      for (const Piece* piece = stack.close(); piece != nullptr; piece = piece->next) ++handed_out;
    }
    if (handed_out != pushed[0] + pushed[1]) ++wrong;
  }

  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace penstock::executor
