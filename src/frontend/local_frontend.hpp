/// A front-end whose tasks run on the cores of the rank where they are submitted, without messages: a domain of the
/// rank's engine. That of a program that runs on the cores of one rank, and that of a task that submits tasks.
///
/// Threads: as any Frontend. The engine outlives it.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "engine/domain.hpp"
#include "engine/engine.hpp"
#include "frontend/frontend.hpp"

namespace penstock::frontend {

class LocalFrontend final : public Frontend {
 public:
  struct Options {
    Window window;
    bool serial = false;           ///< every task runs inside submit(), in order
    std::uint64_t first_id = 1;    ///< of its tasks, which count on from there
    bool of_task = false;          ///< the calling thread runs it
    Delivery* back_end = nullptr;  ///< to be ended by finish()
  };
  LocalFrontend(engine::Engine& engine, const Options& options);
  LocalFrontend(const LocalFrontend&) = delete;
  LocalFrontend& operator=(const LocalFrontend&) = delete;
  ~LocalFrontend() override;

  [[nodiscard]] core::DataId add_data(const ArrayType& type) override { return domain_.add_data(type); }
  [[nodiscard]] core::Version first_version(core::DataId data) const override { return domain_.first_version(data); }
  void unpin(const Pinned& pinned) override;
  bool wait_for(const Pinned& pinned, const Deadline& deadline) override;
  void fetch(Pinned& pinned) override;
  using Frontend::wait_all;
  using Frontend::wait_for;
  bool wait_all(const Deadline& deadline) override;
  void drain() override { domain_.drain(); }
  [[nodiscard]] Group* add_group() override { return domain_.add_group(); }
  bool wait_for(const Group& group, const Deadline& deadline) override { return domain_.wait_for(group, deadline); }
  void cancel(Group& group) override { domain_.cancel(group); }
  void cancel(core::TaskId task) override { domain_.cancel(task); }
  [[nodiscard]] Resource* add_resource(std::int64_t amount) override { return domain_.add_resource(amount); }
  [[nodiscard]] core::DataId lend(const ArrayType& type, std::byte* bytes, bool read_only) {
    return domain_.add_borrowed(type, bytes, read_only);
  }
  void close() override { domain_.close(); }
  void cancel() override { domain_.cancel(); }
  void finish() override;
  void break_off(const std::string& /*why*/) override {}  // there is no peer that could break
  [[nodiscard]] Counts counts() const override;
  [[nodiscard]] Window in_flight() const override;
  [[nodiscard]] std::vector<Failure> first_failures() const override;
  [[nodiscard]] std::vector<Skipped> first_skipped() const override;
  [[nodiscard]] OwnWork own_work() const override;
  void on_endings(core::RankId from, std::span<const std::byte> item) override;

 private:
  core::TaskId take(std::span<const Task> tasks) override;
  [[nodiscard]] Pinned hold(core::DataId data, bool for_view) override;
  void drop(core::DataId data) override { domain_.release_data(data); }
  [[nodiscard]] engine::Standing standing(core::DataId data) const override { return domain_.standing(data); }
  void refuse_inside(const char* call) const override { domain_.refuse_inside(call); }
  void note(const engine::NotDone& task);
  [[nodiscard]] engine::Version& version_of(const Pinned& pinned) const;

  engine::Engine& engine_;
  Delivery* const back_end_;
  engine::Domain domain_;

  mutable std::mutex mutex_;  // guards what follows; nothing else is called under it
  FailureLog failures_;
  Counts not_done_;  // its `submitted` and `done` stay 0
  std::multimap<std::pair<core::DataId, core::Version>, engine::Version*> views_;
};

}  // namespace penstock::frontend
