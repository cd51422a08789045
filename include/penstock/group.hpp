/// Groups of tasks, which are waited for and cancelled together, and the window of a loop.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>

#include <penstock/deadline.hpp>

namespace penstock {

class Runtime;

namespace detail {
struct GroupState;
}  // namespace detail

/// Tasks of one runtime. A thread that has entered the group submits its tasks to it. Copies are the same group. Any
/// thread; tasks go on when the last copy is gone.
class Group {
 public:
  /// A group without tasks.
  explicit Group(Runtime& runtime);

  /// As long as it lives, tasks that the calling thread submits to the group's runtime belong to the group, and to no
  /// other. To be ended on the same thread, the last one first.
  class Scope {
   public:
    explicit Scope(const Group& group);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    std::shared_ptr<detail::GroupState> state_;
    detail::GroupState* outer_;
  };
  [[nodiscard]] Scope enter() const { return Scope(*this); }

  /// Until none of its tasks is in flight. Failures are wait_all()'s to tell.
  void wait() const { wait_until(std::nullopt); }
  /// The same; false: some were after that time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) const {
    return wait_until(detail::deadline_after(time));
  }
  /// Its tasks that have not begun, and those that come later, end as cancelled; who depends on them is skipped.
  void cancel() const;

 private:
  bool wait_until(std::optional<std::chrono::steady_clock::time_point> deadline) const;

  std::shared_ptr<detail::GroupState> state_;
};

/// The units of a loop, such as the minibatches of a training: unit t ends before unit t + size begins. A unit is what
/// the calling thread submits between two calls of next().
///
///     ps::Window window(rt, 2);
///     for (int batch = 0; batch < batches; ++batch) {
///       window.next();
///       submit_batch(rt, batch);
///     }
class Window {
 public:
  /// `size` is at least 1: nothing of two units is in flight at once then.
  Window(Runtime& runtime, int size);
  /// The unit before is complete; waits until there is room for another.
  void next();

 private:
  Runtime& runtime_;
  const std::size_t size_;
  std::deque<Group> units_;
  std::optional<Group::Scope> scope_;
};

}  // namespace penstock
