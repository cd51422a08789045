/// What is behind penstock::Runtime.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <penstock/runtime.hpp>

#include "core/ids.hpp"
#include "frontend/local_frontend.hpp"
#include "kernels/function.hpp"
#include "kernels/table.hpp"
#include "runtime/process.hpp"
#include "runtime/program_folder.hpp"
#include "runtime/session.hpp"

namespace penstock::detail {

struct RuntimeState : std::enable_shared_from_this<RuntimeState> {
  explicit RuntimeState(runtime::Session& run) : session(&run), front(run.frontend()), kernels(run.kernel_table()) {}
  /// Of a task.
  RuntimeState(frontend::LocalFrontend& of_task, const kernels::KernelTable& for_cores)
      : front(of_task), lender(&of_task), kernels(for_cores) {}
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;
  ~RuntimeState() {
    if (keeps_functions) kernels::functions::let_go(this);
  }

  /// The process is a fork of the one that made it: none of its threads is here.
  [[nodiscard]] bool is_forked() const { return forks != runtime::process::forks(); }
  /// Handles that are left do nothing.
  [[nodiscard]] bool is_inert() const { return ended || runtime::process::epoch() != forks * 2; }
  /// The memory of a session whose threads are not here, or do not end, cannot be freed: it stays for good.
  void stay() { self = shared_from_this(); }

  runtime::Session* const session = nullptr;  ///< null: the runtime is a task's
  frontend::Frontend& front;
  frontend::LocalFrontend* const lender = nullptr;  ///< a task's front-end
  const kernels::KernelTable& kernels;
  std::unique_ptr<runtime::Session> owned;       ///< of a Runtime that was not made by run()
  std::optional<runtime::ProgramFolder> folder;  ///< where the program asked for one
  std::atomic<bool> ended{false};                ///< the session is over
  std::atomic<bool> keeps_functions{false};      ///< for then()

  const std::uint32_t forks = runtime::process::forks();
  const pid_t process = runtime::process::id();
  const int exceptions = std::uncaught_exceptions();
  std::atomic<std::uint32_t> epoch{UINT32_MAX};  ///< of the process, when a call was made last; never such a number
  std::shared_ptr<RuntimeState> self;            ///< as a rule none
};

/// A call of the program: refused in a forked child, and held where the process exits meanwhile.
class Call {
 public:
  explicit Call(RuntimeState& state) : state_(state) {
    if (!is_as_before()) begin();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (!is_as_before()) end();
  }

 private:
  [[nodiscard]] bool is_as_before() const {
    return state_.epoch.load(std::memory_order_relaxed) == runtime::process::epoch();
  }
  void begin() const;
  void end() const;

  RuntimeState& state_;
};

}  // namespace penstock::detail
