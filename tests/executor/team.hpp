/// A team of workers with threads of the test's, and jobs that are given their work by it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "executor/workers.hpp"

namespace penstock::executor {

struct Work : Job {
  std::function<void(Worker&)> body;

  static void run_body(Job& job, Worker& worker) { static_cast<Work&>(job).body(worker); }
};

class Team {
 public:
  /// Of options.lanes_most workers, on as many cores or on others.
  explicit Team(Workers::Options options, std::optional<int> cores = std::nullopt)
      : count_(options.lanes_most), workers_(std::move(options)) {
    workers_.open(count_, cores.value_or(count_));
  }
  explicit Team(
      int count, std::function<void(int)> idle = [](int /*lane*/) {}, std::optional<std::uint64_t> seed = std::nullopt)
      : Team(Workers::Options{.lanes_most = count, .idle = std::move(idle), .seed = seed}) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() { end(); }

  void begin() {
    for (int lane = 0; lane < count_; ++lane) threads_.emplace_back([this, lane] { workers_.work(lane); });
  }
  /// After what was pushed has run.
  void end() {
    workers_.close();
    threads_.clear();
  }
  Workers& workers() { return workers_; }

  /// A job that stays until the team's end; not pushed. Any thread.
  Work& make(std::function<void(Worker&)> body, std::int32_t priority = 0) {
    auto work = std::make_unique<Work>();
    work->run = &Work::run_body;
    work->body = std::move(body);
    work->priority = priority;
    const std::lock_guard lock(mutex_);
    return *works_.emplace_back(std::move(work));
  }
  void push(Work& work) {
    Job* const job = &work;
    workers_.push({&job, 1});
  }
  void share(Work& work) {
    Job* const job = &work;
    workers_.share({&job, 1});
  }
  void push(std::function<void(Worker&)> body, std::int32_t priority = 0) { push(make(std::move(body), priority)); }
  void share(std::function<void(Worker&)> body, std::int32_t priority = 0) { share(make(std::move(body), priority)); }

 private:
  const int count_;
  std::mutex mutex_;  ///< guards works_
  std::vector<std::unique_ptr<Work>> works_;
  Workers workers_;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock::executor
