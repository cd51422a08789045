/// Virtual time: actions that happen at a time, in the order of their times; at one time in the order of their entry.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace penstock::support {

class EventQueue {
 public:
  [[nodiscard]] std::uint64_t now() const { return now_; }

  /// A time that is past already means now.
  void at(std::uint64_t time, std::function<void()> action) {
    events_.push({time > now_ ? time : now_, entered_++, std::move(action)});
  }

  /// Runs the next action; false when there is none.
  bool run_one() {
    if (events_.empty()) return false;
    const std::function<void()> action = std::move(const_cast<Event&>(events_.top()).action);  // the order stays
    now_ = events_.top().time;
    events_.pop();
    action();
    return true;
  }

 private:
  struct Event {
    std::uint64_t time;
    std::uint64_t number;
    std::function<void()> action;
    friend bool operator<(const Event& left, const Event& right) {  // the top of the heap is the greatest
      return std::pair(left.time, left.number) > std::pair(right.time, right.number);
    }
  };

  std::priority_queue<Event> events_;
  std::uint64_t now_ = 0;
  std::uint64_t entered_ = 0;
};

}  // namespace penstock::support
