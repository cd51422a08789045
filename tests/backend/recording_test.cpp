// What the trace holds of runs over several ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "backend/local_cluster.hpp"
#include "core/event.hpp"
#include "trace/reader.hpp"

namespace penstock::tests {

namespace {

using core::AccessKind;
using core::EventKind;
using graph::Access;

class Recording : public ::testing::Test {
 protected:
  Recording() : folder_(std::filesystem::path(::testing::TempDir()) / ("recording-" + std::to_string(getpid()))) {
    empty_folder();
  }
  ~Recording() override { std::filesystem::remove_all(folder_); }

  void empty_folder() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  [[nodiscard]] std::vector<trace::RankTrace> traces() const {
    std::vector<trace::RankTrace> traces;
    for (const auto& file : trace::files_in(folder_)) traces.push_back(trace::read(file));
    return traces;
  }

  /// Chains of increments of `data` numbers, and sums of neighbours that bring them together.
  static std::uint64_t submit_some(LocalCluster& cluster, int data, int rounds) {
    const std::array<Parameter, 1> one{1.0};
    std::uint64_t tasks = 0;
    std::vector<core::DataId> numbers;
    const auto submit = [&](std::string_view kernel, std::span<const Access> accesses, bool takes_one) {
      cluster.submit(kernel, accesses, takes_one ? std::span<const Parameter>(one) : std::span<const Parameter>());
      ++tasks;
    };
    for (int i = 0; i < data; ++i) {
      numbers.push_back(cluster.frontend().add_data({DType::f64, Shape{100}}));
      submit("fill", std::array{Access{numbers.back(), AccessMode::write}}, true);
    }
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        submit("increment", std::array{Access{numbers[i], AccessMode::read_write}}, true);
        const core::DataId neighbour = numbers[(i + 1) % numbers.size()];
        submit("add",
               std::array{Access{numbers[i], AccessMode::read}, Access{neighbour, AccessMode::read},
                          Access{numbers[(i + 2) % numbers.size()], AccessMode::write}},
               false);
      }
    }
    return tasks;
  }

  std::filesystem::path folder_;
};

/// What the events of all ranks say together.
struct Told {
  std::map<std::uint64_t, core::TaskEvent> tasks;
  std::set<std::pair<std::uint32_t, std::uint64_t>> written;
  std::vector<std::pair<std::uint64_t, core::AccessEvent>> reads;  // by task
  std::multiset<std::pair<std::uint32_t, std::uint64_t>> sent;
  std::multiset<std::pair<std::uint32_t, std::uint64_t>> received;
  std::set<core::CounterKind> counters;
  int clocks = 0;
};

void add_lane(const trace::LaneEvents& lane, Told& told) {
  const core::Event* head = nullptr;
  for (const core::Event& event : lane.events) {
    if (event.kind == EventKind::task) {
      EXPECT_TRUE(told.tasks.emplace(task_of(event).task.value(), task_of(event)).second) << "a task ran twice";
    }
    if (event.kind == EventKind::counter) told.counters.insert(counter_of(event).counter);
    if (event.kind == EventKind::clock) ++told.clocks;
    if (event.kind != EventKind::access) {
      head = &event;
      continue;
    }
    const core::AccessEvent access = access_of(event);
    if (head->kind == EventKind::transfer) {
      auto& moved = transfer_of(*head).direction == core::Direction::in ? told.received : told.sent;
      moved.emplace(access.data.value(), access.reads.value());
      continue;
    }
    if (access.writes != core::Version()) told.written.emplace(access.data.value(), access.writes.value());
    if (access.reads != core::Version()) told.reads.emplace_back(task_of(*head).task.value(), access);
  }
}

TEST_F(Recording, TellsEachTaskOnceAndWhereItsInputsCameFrom) {
  Told told;
  // On a loaded machine one rank may be given all of a run before the others have begun: that moves no data.
  for (int run = 0; run < 100 && told.received.empty(); ++run) {
    told = {};
    empty_folder();
    LocalCluster cluster({.ranks = 3, .cores = 2, .trace_folder = folder_});
    const std::uint64_t tasks = submit_some(cluster, 12, 20);
    cluster.end();
    for (const trace::RankTrace& rank : traces()) {
      EXPECT_TRUE(rank.ended);
      for (const trace::LaneEvents& lane : rank.lanes) {
        EXPECT_EQ(lane.dropped, 0U);
        add_lane(lane, told);
      }
    }
    EXPECT_EQ(told.tasks.size(), tasks);
    EXPECT_EQ(told.sent, told.received);
  }

  EXPECT_GT(told.received.size(), 0U) << "no data moved: the test would prove nothing";
  for (const auto& [id, task] : told.tasks) {
    EXPECT_EQ(task.outcome, core::Outcome::done);
    EXPECT_LE(task.begin_ns, task.end_ns);
  }
  for (const auto& [task, read] : told.reads) {
    EXPECT_TRUE(told.written.contains({read.data.value(), read.reads.value()})) << "task " << task;
    EXPECT_EQ(read.bytes, 800);
  }
  EXPECT_GE(told.clocks, 2) << "each rank asks rank 0 for the time";
}

/// Fails, when it may: a task that is submitted after it was heard of is not given to any rank.
std::atomic<bool> may_fail{false};
bool register_fails() {
  KernelDescription kernel;
  kernel.name = "test.fails_when_it_may";
  kernel.accesses = {{.name = "x", .mode = AccessMode::write, .dtypes = {DType::f64}}};
  kernel.cpu = [](const TaskContext& /*context*/) {
    may_fail.wait(false);
    throw std::runtime_error("as it should");
  };
  register_kernel(std::move(kernel));
  return true;
}
const bool registered = register_fails();

TEST_F(Recording, TellsHowTasksFailed) {
  LocalCluster cluster({.ranks = 1, .cores = 1, .trace_folder = folder_});
  const core::DataId data = cluster.frontend().add_data({DType::f64, Shape{2}});
  const std::array<Parameter, 1> one{1.0};
  cluster.submit("test.fails_when_it_may", std::array{Access{data, AccessMode::write}}, {});
  cluster.submit("increment", std::array{Access{data, AccessMode::read_write}}, one);
  may_fail = true;
  may_fail.notify_all();
  cluster.end();

  Told told;
  const auto all = traces();
  for (const trace::LaneEvents& lane : all.at(0).lanes) add_lane(lane, told);

  EXPECT_EQ(told.tasks.at(1).outcome, core::Outcome::failed);
  EXPECT_EQ(told.tasks.at(2).outcome, core::Outcome::skipped);
}

TEST_F(Recording, KeepsTheLastEventsWhereThereIsNoRoomForAll) {
  LocalCluster cluster({.ranks = 1, .cores = 1, .trace_folder = folder_, .trace_bytes = 1});
  const std::uint64_t tasks = submit_some(cluster, 4, 2'000);
  cluster.end();

  const auto all = traces();
  const trace::LaneEvents& lane = all.at(0).lanes.at(0);
  const auto count = [&](EventKind kind) { return std::ranges::count(lane.events, kind, &core::Event::kind); };

  EXPECT_GT(lane.dropped, 0U);
  EXPECT_GT(count(EventKind::task), 100);
  std::uint64_t last = 0;
  for (const core::Event& event : lane.events) {
    if (event.kind == EventKind::task) last = std::max(last, task_of(event).task.value());
  }
  EXPECT_EQ(last, tasks);
}

}  // namespace

}  // namespace penstock::tests
