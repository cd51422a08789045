// What a call does when the process has forked or exits.
#include <string>

#include <penstock/error.hpp>

#include "executor/workers.hpp"
#include "runtime/state.hpp"

namespace penstock::detail {

namespace process = runtime::process;

void Call::begin() const {
  if (state_.is_forked()) {
    throw Error(ErrorCode::invalid_argument, "this process was forked from process " + std::to_string(state_.process) +
                                                 ", to which this runtime belongs: make a new one here");
  }
  if (process::exits()) {
    if (!process::exits_here() && !executor::Workers::is_worker()) process::await_end();
    throw Error(ErrorCode::interrupted, "the process exits: nothing more is done");
  }
  // Here rather than in the constructor, so that it precedes the destructor of a runtime that is a static object.
  if (state_.owned) process::stop_before_statics();
  state_.epoch.store(process::epoch(), std::memory_order_relaxed);
}

/// What the call has found out, it found out from tasks that were cancelled because the process exits.
void Call::end() const {
  const bool holds = !state_.is_forked() && process::exits() && !process::exits_here();
  if (holds && !executor::Workers::is_worker()) process::await_end();
}

}  // namespace penstock::detail
