#include <penstock/group.hpp>

#include <string>
#include <utility>

#include <penstock/error.hpp>
#include <penstock/runtime.hpp>

#include "runtime/group_state.hpp"
#include "runtime/state.hpp"

namespace penstock {

using detail::Call;
using detail::GroupState;

thread_local GroupState* GroupState::entered_ = nullptr;

GroupState::GroupState(const std::shared_ptr<detail::RuntimeState>& of) : runtime(of), group(of->front.add_group()) {}

Group::Group(Runtime& runtime) {
  const Call call(*runtime.state_);
  state_ = std::make_shared<GroupState>(runtime.state_);
}

Group::Scope::Scope(const Group& group)
    : state_(group.state_), outer_(std::exchange(GroupState::entered_, state_.get())) {}

Group::Scope::~Scope() { GroupState::entered_ = outer_; }

bool Group::wait_until(std::optional<std::chrono::steady_clock::time_point> deadline) const {
  const Call call(*state_->runtime);
  return state_->runtime->front.wait_for(*state_->group, deadline);
}

void Group::cancel() const {
  const Call call(*state_->runtime);
  state_->runtime->front.cancel(*state_->group);
}

// --- the window of a loop ---

Window::Window(Runtime& runtime, int size) : runtime_(runtime), size_(static_cast<std::size_t>(size)) {
  if (size < 1) throw Error(ErrorCode::invalid_argument, "a Window is of at least 1 unit, not " + std::to_string(size));
}

void Window::next() {
  scope_.reset();
  for (; units_.size() >= size_; units_.pop_front()) units_.front().wait();
  units_.emplace_back(runtime_);
  scope_.emplace(units_.back());
}

}  // namespace penstock
