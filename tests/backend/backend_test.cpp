// A back-end by itself, spoken to in the front-end's language, and whole clusters that only start and stop.
#include "backend/backend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/kernel.hpp>

#include "backend/local_cluster.hpp"
#include "core/parameters.hpp"
#include "device/cpu/cpu_device.hpp"
#include "transport/loopback/loopback.hpp"

namespace penstock::tests {

namespace {

using I64 = std::int64_t;
using cluster::OperandKind;
using cluster::Tag;

/// Counts what has ended.
class CountingReports final : public backend::Reports {
 public:
  void endings(std::span<const std::byte> item) override {
    core::ByteReader reader(item);
    static_cast<void>(cluster::read_tag(reader));
    const auto count = reader.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
      cluster::EndingReport report;
      if (cluster::read(reader, report) && report.ending.outcome == core::Outcome::done)
        ++done_;
      else
        ++not_done_;
    }
    ended_ += static_cast<int>(count);
    ended_.notify_all();
  }
  void await(int tasks) const {
    for (int ended = ended_.load(); ended < tasks; ended = ended_.load()) ended_.wait(ended);
  }
  [[nodiscard]] int done() const { return done_; }
  [[nodiscard]] int not_done() const { return not_done_; }

 private:
  std::atomic<int> done_{0};
  std::atomic<int> not_done_{0};
  std::atomic<int> ended_{0};
};

/// A rank with one worker and a front-end that is the test.
class BackendAlone : public ::testing::Test {
 protected:
  BackendAlone()
      : mover_(std::move(transport::make_loopback(1).front())),
        backend_(kernels::KernelTable::process().all(), mover_, reports_) {
    device::Completions& completions = backend_.completions_for_next_device();
    backend_.add_device({.name = "",
                         .device = std::make_unique<device::CpuDevice>(
                             device::CpuDevice::Options{.cores = {0}, .pin = false}, completions)});
  }

  static cluster::Operand operand(OperandKind kind, std::uint32_t data, std::uint64_t reads, std::uint64_t writes,
                                  std::int64_t elements) {
    return {.kind = kind,
            .data = core::DataId(data),
            .reads = core::Version(reads),
            .writes = core::Version(writes),
            .source = core::no_rank,
            .type = {DType::i64, Shape{elements}}};
  }

  /// Adds a task with one operand, filled with `value`, to the batch.
  void add_fill(const cluster::Operand& operand, double value) {
    parameters_.clear();
    const Parameter parameter = value;
    core::encode_parameters(std::span(&parameter, 1), parameters_);
    core::ByteWriter writer(batch_);
    ++tasks_;
    cluster::write(writer, cluster::TaskCommand{.ticket = 0,
                                                .task = core::TaskId(static_cast<std::uint64_t>(tasks_)),
                                                .attempt = core::Attempt(1),
                                                .kernel = kernels::KernelTable::process().at("fill"),
                                                .cores = 1,
                                                .operands = {operand},
                                                .parameters = parameters_});
  }

  void add_drop(std::uint32_t data, std::uint64_t version) {
    core::ByteWriter writer(batch_);
    cluster::write_drop(writer, core::DataId(data), core::Version(version));
  }

  /// Sends the batch, and waits for all tasks so far.
  void send() {
    backend_.receive(batch_);
    batch_.clear();
    reports_.await(tasks_);
  }

  std::vector<I64> values(std::uint32_t data, std::uint64_t version) {
    const auto served = backend_.serve(core::DataId(data), core::Version(version));
    if (served.state != mover::Serving::State::here) return {};
    std::vector<I64> numbers(served.replica.bytes.size() / sizeof(I64));
    std::memcpy(numbers.data(), served.replica.bytes.data(), served.replica.bytes.size());
    backend_.served(served.replica.replica);
    return numbers;
  }

  CountingReports reports_;
  mover::Mover mover_;
  backend::Backend backend_;
  std::vector<std::byte> batch_;
  std::vector<std::byte> parameters_;
  int tasks_ = 0;
};

TEST_F(BackendAlone, MakesWhatItIsTold) {
  add_fill(operand(OperandKind::write, 0, 0, 1, 3), 5);

  send();

  EXPECT_EQ(values(0, 1), (std::vector<I64>{5, 5, 5}));
  EXPECT_EQ(reports_.done(), 1);
}

// A storage that a drop set free was cleared only after the whole batch, when a later task of the batch had it already.
TEST_F(BackendAlone, GivesADroppedStorageToALaterTaskOfTheSameBatch) {
  add_fill(operand(OperandKind::write, 0, 0, 1, 1), 5);
  send();

  add_drop(0, 1);
  add_fill(operand(OperandKind::write, 1, 0, 1, 100), 6);
  add_drop(7, 7);  // of something that is not here
  send();

  EXPECT_EQ(values(1, 1), std::vector<I64>(100, 6));
  EXPECT_TRUE(values(0, 1).empty());
}

TEST_F(BackendAlone, StartsNothingAfterACancel) {
  core::ByteWriter writer(batch_);
  cluster::write_tag(writer, Tag::cancel);
  for (std::uint32_t data = 0; data < 10; ++data) add_fill(operand(OperandKind::write, data, 0, 1, 1), 5);

  send();

  EXPECT_EQ(reports_.not_done(), 10);
}

TEST_F(BackendAlone, RefusesCommandsThatAreNotWellFormed) {
  add_fill(operand(OperandKind::write, 0, 0, 1, 3), 5);
  const std::vector<std::byte> whole = batch_;

  for (std::size_t length = 1; length < whole.size(); ++length) {
    EXPECT_THROW(backend_.receive(std::span(whole).first(length)), Error) << length;
  }
}

TEST_F(BackendAlone, RefusesAVersionThatIsNowhere) {
  add_fill(operand(OperandKind::consume, 0, 1, 2, 3), 5);

  EXPECT_THROW(backend_.receive(batch_), Error);
}

// Workers that had nothing to do yet looked for it while devices were still being added.
TEST(LocalCluster, StartsAndStopsAtOnce) {
  for (int round = 0; round < 100; ++round) {
    LocalCluster cluster({.ranks = round % 4 + 1, .cores = round % 3 + 1});
    cluster.end();

    EXPECT_EQ(cluster.byes().size(), static_cast<std::size_t>(round % 4 + 1));
  }
}

TEST(LocalCluster, CountsTheTasksOfAllRanks) {
  LocalCluster cluster({.ranks = 3, .cores = 2});
  const Parameter value = 1.0;
  for (int i = 0; i < 500; ++i) {
    const core::DataId data = cluster.frontend().add_data({DType::i64, Shape{100}});
    const graph::Access access{data, AccessMode::write};
    cluster.submit("fill", std::span(&access, 1), std::span(&value, 1));
    cluster.frontend().release_data(data);
  }

  cluster.end();

  std::uint64_t tasks = 0;
  for (const cluster::Bye& bye : cluster.byes()) tasks += bye.devices.at(0).tasks;
  EXPECT_EQ(tasks, 500U);
}

}  // namespace

}  // namespace penstock::tests
