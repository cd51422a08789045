/// What is behind penstock::Group.
#pragma once

#include <memory>

#include <penstock/group.hpp>

#include "frontend/frontend.hpp"

namespace penstock::detail {

struct RuntimeState;

struct GroupState {
  explicit GroupState(const std::shared_ptr<RuntimeState>& runtime);
  GroupState(const GroupState&) = delete;
  GroupState& operator=(const GroupState&) = delete;
  ~GroupState() { group->let_go(); }

  /// The group of this runtime that the calling thread has entered; null: none.
  [[nodiscard]] static frontend::Group* entered_for(const RuntimeState& runtime) {
    return entered_ != nullptr && entered_->runtime.get() == &runtime ? entered_->group : nullptr;
  }

  static thread_local GroupState* entered_;  ///< the one entered last

  const std::shared_ptr<RuntimeState> runtime;
  frontend::Group* const group;
};

}  // namespace penstock::detail
