/// A domain of the engine with workers of its own, for tests: its tasks run what the test gives them, on arrays of
/// 64-bit integers. The test's thread is the program.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <penstock/kernel.hpp>

#include "engine/domain.hpp"
#include "engine/engine.hpp"

namespace penstock::engine {

using I64 = std::int64_t;

/// The arrays of a task, in the order of its accesses.
class Arrays {
 public:
  explicit Arrays(const TaskContext& context) : context_(&context) {}
  [[nodiscard]] std::span<I64> operator[](std::size_t index) const {
    const ArrayView& view = context_->arrays[index];
    return {reinterpret_cast<I64*>(view.data), static_cast<std::size_t>(view.type.shape.count())};
  }
  [[nodiscard]] int panel() const { return context_->panel; }
  [[nodiscard]] int panel_count() const { return context_->panel_count; }
  [[nodiscard]] const TaskContext& context() const { return *context_; }

 private:
  const TaskContext* context_;
};
using Body = std::function<void(const Arrays&)>;

/// What is left of a NotDone.
struct Ended {
  core::TaskId task;
  core::Outcome outcome = core::Outcome::done;
  core::TaskId cause;
  std::string message;
  std::string name;
  std::uint32_t line = 0;
};

inline graph::Access reads(core::DataId data) { return {data, AccessMode::read}; }
inline graph::Access writes(core::DataId data) { return {data, AccessMode::write}; }
inline graph::Access updates(core::DataId data) { return {data, AccessMode::read_write}; }

/// A gate that tasks wait at until the test opens it. It outlives the program whose tasks do.
class Gate {
 public:
  explicit Gate(std::ptrdiff_t tasks = 1) : arrived_(tasks) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// In a task.
  void pass() {
    arrived_.count_down();
    opened_.wait(false);
  }
  /// Until all tasks have come.
  void await() const { arrived_.wait(); }
  void open() {
    opened_ = true;
    opened_.notify_all();
  }

 private:
  std::latch arrived_;
  std::atomic<bool> opened_{false};
};

/// As Domain::Options has them, and the workers.
struct Configuration {
  int workers = 2;
  std::optional<std::uint64_t> seed = std::nullopt;  ///< for the order of tasks
  std::uint64_t window_tasks = Domain::Options().window_tasks;
  std::int64_t window_bytes = Domain::Options().window_bytes;
  bool renames = true;
  std::size_t renaming_bytes = Domain::Options().renaming_bytes;
  bool serial = false;
  std::function<void()> while_waiting = {};
  bool all_short = false;  ///< every task is taken for one that the thread that submits had better run itself
};

struct Extras {
  std::uint16_t cores = 1;
  bool uses_openmp = false;  ///< the kernel does
  std::int32_t priority = 0;
  std::string_view name = {};
  Place place = {};
  std::span<const Parameter> parameters = {};  ///< after the one that names the body
};

/// All gates are to be open when it ends.
class Program {
 public:
  explicit Program(const Configuration& configuration = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  /// Waits for all tasks.
  ~Program();

  Domain& domain() { return *domain_; }
  Engine& engine() { return *engine_; }
  [[nodiscard]] std::size_t data_bytes() const { return buffers_.used_bytes(); }
  /// Instead of the one there is, whose tasks have all ended.
  void replace_domain(const Configuration& configuration = {});
  /// The engine has seen that its tasks are short.
  void prove_short();

  core::DataId add(I64 elements = 1) { return domain_->add_data({DType::i64, Shape{elements}}); }
  /// Added, and written by a task.
  core::DataId add_filled(I64 value, I64 elements = 1);

  core::TaskId submit(std::span<const graph::Access> accesses, Body body, const Extras& extras = {});
  core::TaskId submit(std::initializer_list<graph::Access> accesses, Body body, const Extras& extras = {}) {
    return submit(std::span(accesses.begin(), accesses.size()), std::move(body), extras);
  }
  core::TaskId write(core::DataId data, I64 value);
  core::TaskId increment(core::DataId data);
  /// A task that throws.
  core::TaskId fail(core::DataId data, const std::string& message = "broken");
  /// Of a kernel without a body for cores.
  core::TaskId submit_bodiless(core::DataId data);

  /// The datum's value as of now; waits for it.
  std::vector<I64> read_all(core::DataId data);
  I64 read(core::DataId data) { return read_all(data)[0]; }
  /// The cause why the datum's version as of now could not be made; 0: it could.
  core::TaskId wait(core::DataId data);

  /// Those that ended otherwise than done; only when no task is in flight.
  [[nodiscard]] const std::vector<Ended>& not_done() const { return not_done_; }
  [[nodiscard]] const Ended* ended(core::TaskId task) const;

 private:
  [[nodiscard]] std::unique_ptr<Domain> make_domain(const Configuration& configuration);
  void note(const NotDone& task);

  KernelDescription call_;
  KernelDescription bodiless_;
  KernelDescription openmp_;
  std::vector<const KernelDescription*> kernels_;
  memory::HostPool buffers_;
  executor::Workers workers_;
  std::optional<Engine> engine_;
  std::unique_ptr<Domain> domain_;
  std::vector<std::jthread> threads_;

  std::mutex bodies_mutex_;  // of threads that submit
  std::deque<Body> bodies_;
  std::mutex log_mutex_;
  std::vector<Ended> not_done_;
};

/// A pin for as long as it lives.
class View {
 public:
  View(Program& program, core::DataId data) : domain_(program.domain()), version_(domain_.pin(data, true)) {
    EXPECT_TRUE(domain_.wait_for(version_));
    EXPECT_EQ(version_.cause, core::TaskId());
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  ~View() { domain_.unpin(version_, true); }

  [[nodiscard]] I64 value() const { return *reinterpret_cast<const I64*>(version_.data); }

 private:
  Domain& domain_;
  Version& version_;
};

}  // namespace penstock::engine
