/// What is behind penstock::Runtime.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include <penstock/runtime.hpp>

#include "core/ids.hpp"
#include "kernels/table.hpp"
#include "runtime/program_folder.hpp"
#include "runtime/session.hpp"

namespace penstock::detail {

struct RuntimeState : std::enable_shared_from_this<RuntimeState> {
  explicit RuntimeState(runtime::Session& run) : session(run) {}

  runtime::Session& session;
  const kernels::KernelTable& kernels = kernels::KernelTable::process();
  std::unique_ptr<runtime::Session> owned;       ///< of a Runtime that was not made by run()
  std::optional<runtime::ProgramFolder> folder;  ///< where the program asked for one
  std::atomic<bool> ended{false};                ///< the session is over: handles that are left do nothing
};

}  // namespace penstock::detail
