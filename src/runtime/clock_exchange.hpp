/// When to ask for the clock of rank 0, and what an answer says of the distance between the two clocks. Pure.
#pragma once

#include <optional>

#include "cluster/messages.hpp"
#include "core/event.hpp"
#include "core/ids.hpp"

namespace penstock::runtime {

class ClockExchange {
 public:
  /// A question to send now; one is under way at a time. At first several in a row, of which the quickest tells most;
  /// then one a second, since clocks drift.
  [[nodiscard]] std::optional<cluster::Ping> ask(core::Instant now) {
    if (asking_ || (asked_ >= first_questions && now.ns - last_.ns < pause_ns)) return std::nullopt;
    asking_ = true;
    ++asked_;
    last_ = now;
    return cluster::Ping{now.ns};
  }

  /// What the answer says, if it is one to the question under way. The answer is taken to have been given half way
  /// between question and answer (F. Cristian, "Probabilistic clock synchronization", 1989).
  [[nodiscard]] std::optional<core::ClockEvent> hear(const cluster::Pong& pong, core::Instant now) {
    if (!asking_ || pong.asked_ns != last_.ns) return std::nullopt;
    asking_ = false;
    const std::int64_t round_trip = now.ns - pong.asked_ns;
    const std::int64_t middle = pong.asked_ns + round_trip / 2;
    return core::ClockEvent{.at_ns = middle, .offset_ns = pong.front_ns - middle, .round_trip_ns = round_trip};
  }

  [[nodiscard]] bool asking() const { return asking_; }

 private:
  static constexpr int first_questions = 8;
  static constexpr std::int64_t pause_ns = 1'000'000'000;

  bool asking_ = false;
  int asked_ = 0;
  core::Instant last_;
};

}  // namespace penstock::runtime
