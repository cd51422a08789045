/// The front-end of a run on the cores of one rank: a domain of the engine, which runs the tasks where they are
/// submitted, without messages. It owns the engine.
///
/// Threads: as any Frontend. The workers must have ended before it does.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "engine/domain.hpp"
#include "engine/engine.hpp"
#include "frontend/frontend.hpp"
#include "memory/host_pool.hpp"

namespace penstock::frontend {

class LocalFrontend final : public Frontend {
 public:
  /// `kernels` is the table of the process; `workers` are open.
  LocalFrontend(std::span<const KernelDescription* const> kernels, executor::Workers& workers, Window window,
                Delivery& delivery);
  LocalFrontend(const LocalFrontend&) = delete;
  LocalFrontend& operator=(const LocalFrontend&) = delete;
  ~LocalFrontend() override;

  [[nodiscard]] core::DataId add_data(const ArrayType& type) override { return domain_.add_data(type); }
  void release_data(core::DataId data) override { domain_.release_data(data); }
  [[nodiscard]] core::Version first_version(core::DataId data) const override { return domain_.first_version(data); }
  using Frontend::submit;
  core::TaskId submit(std::span<const Task> tasks) override;
  void wait(core::DataId data) override;
  void wait_all() override;
  void drain() override { domain_.drain(); }
  [[nodiscard]] Pinned bring(core::DataId data) override;
  void unpin(const Pinned& pinned) override;
  void close() override { domain_.close(); }
  void cancel() override { domain_.cancel(); }
  void finish() override;
  void break_off(const std::string& /*why*/) override {}  // there is no peer that could break
  [[nodiscard]] Counts counts() const override;
  [[nodiscard]] Window in_flight() const override;
  [[nodiscard]] std::vector<Failure> first_failures() const override;
  [[nodiscard]] std::vector<Skipped> first_skipped() const override;
  [[nodiscard]] OwnWork own_work() const override;
  void trace(trace::Recorder& recorder) override { engine_.trace(recorder); }
  void measure() override { engine_.measure(); }
  void on_endings(core::RankId from, std::span<const std::byte> item) override;

 private:
  void note(const engine::NotDone& task);
  void throw_if_not(bool made, core::TaskId cause) const;

  Delivery& delivery_;
  memory::HostPool buffers_;
  engine::Engine engine_;
  engine::Domain domain_;

  mutable std::mutex mutex_;  // guards what follows; nothing else is called under it
  FailureLog failures_;
  Counts not_done_;  // its `submitted` and `done` stay 0
  std::multimap<std::pair<core::DataId, core::Version>, engine::Version*> views_;
};

}  // namespace penstock::frontend
