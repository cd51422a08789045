#include "cluster/front_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace penstock::cluster {
namespace {

using core::DataId;
using core::Outcome;
using core::RankId;
using core::TaskId;
using core::Version;
using testing::ElementsAre;
using testing::IsEmpty;

/// The machine with a domain in front of it; commands and endings are noted.
class FrontMachineTest : public ::testing::Test, protected FrontOutput {
 protected:
  void start(const std::vector<int>& cores) {
    std::vector<RankSize> ranks;
    for (const int count : cores) ranks.push_back({.cores = count});
    start_with(ranks);
  }
  void start_with(const std::vector<RankSize>& ranks) {
    FrontOutput& output = *this;
    machine = std::make_unique<FrontMachine>(ranks, output);
  }

  DataId add() {
    const DataId data = domain.add();
    machine->add_data(data, {DType::f64, Shape{100}});
    return data;
  }

  void submit(std::uint64_t task, const std::vector<graph::Access>& accesses, std::uint16_t cores = 1,
              std::int64_t gpu_bytes = 0) {
    std::vector<graph::StampedAccess> stamped;
    domain.stamp(TaskId(task), accesses, stamped);
    machine->submit({.task = TaskId(task),
                     .kernel = core::KernelId(0),
                     .cores = cores,
                     .only_on = core::no_rank,
                     .gpu_bytes = gpu_bytes,
                     .place = {},
                     .accesses = stamped,
                     .parameters = {}});
  }

  bool end(std::uint64_t task, Outcome outcome = Outcome::done, int rank = -1) {
    const auto& [command, bound_to] = bound.at(task);
    return report({.ticket = command.ticket,
                   .busy_ns = 1'000'000'000,
                   .ending = {.task = TaskId(task),
                              .attempt = command.attempt,
                              .outcome = outcome,
                              .rank = core::no_rank,
                              .device = {},
                              .cause = outcome == Outcome::done ? TaskId() : TaskId(task),
                              .message = {}}},
                  rank < 0 ? bound_to : RankId(rank));
  }

  bool report(const EndingReport& report, RankId from) {
    std::vector<std::byte> bytes;
    core::ByteWriter writer(bytes);
    writer.put(std::uint32_t{1});
    write(writer, report);
    core::ByteReader reader(bytes);
    const bool known = machine->on_endings(from, reader);
    machine->flush();
    return known;
  }

  /// The ranks' numbers of the tasks sent since the last look, by task.
  std::map<std::uint64_t, int> sent() { return std::exchange(sent_, {}); }

  void send(RankId to, std::span<const std::byte> commands) override {
    core::ByteReader reader(commands);
    while (reader.left() > 0) receive(to, reader);
  }
  void ended(const EndedTask& task) override {
    endings.emplace_back(task.ending.task.value(), task.ending.outcome);
    last_name = task.name;
  }
  void forgotten(DataId data) override { forgotten_data.push_back(data); }

  graph::Domain domain;
  std::unique_ptr<FrontMachine> machine;
  std::map<std::uint64_t, std::pair<TaskCommand, RankId>> bound;
  std::vector<std::pair<int, std::uint64_t>> drops;
  std::vector<std::pair<std::uint64_t, Outcome>> endings;
  std::vector<DataId> forgotten_data;
  int cancels = 0;
  std::string name_sent;  // with the latest task
  std::string last_name;  // of the latest that ended

 private:
  void receive(RankId to, core::ByteReader& reader) {
    const Tag tag = read_tag(reader);
    DataId data;
    Version version;
    if (tag == Tag::cancel) ++cancels;
    if (tag == Tag::drop && read_drop(reader, data, version)) drops.emplace_back(to.value(), version.value());
    if (tag != Tag::task) return;
    TaskCommand command;
    ASSERT_TRUE(read(reader, command));
    sent_[command.task.value()] = to.value();
    name_sent = command.name;
    bound[command.task.value()] = {command, to};
  }

  std::map<std::uint64_t, int> sent_;
};

using Sent = std::map<std::uint64_t, int>;

TEST_F(FrontMachineTest, GivesARankTwiceWhatItCanRunOfLongTasks) {
  start({1});
  for (std::uint64_t task = 1; task <= 5; ++task) submit(task, {{add(), AccessMode::write}});

  machine->flush();
  EXPECT_EQ(sent(), (Sent{{1, 0}, {2, 0}}));
  EXPECT_TRUE(end(1));

  EXPECT_EQ(sent(), (Sent{{3, 0}}));
  EXPECT_EQ(machine->unended(), 4u);
  EXPECT_EQ(machine->bound(), 2u);
}

TEST_F(FrontMachineTest, SpreadsIndependentTasks) {
  start({1, 1});
  submit(1, {{add(), AccessMode::write}});
  submit(2, {{add(), AccessMode::write}});

  machine->flush();

  EXPECT_EQ(sent(), (Sent{{1, 0}, {2, 1}}));
}

TEST_F(FrontMachineTest, BindsASuccessorToTheRankOfItsPredecessorWithoutWaiting) {
  start({4, 4});
  const DataId x = add();
  submit(1, {{add(), AccessMode::write}});
  submit(2, {{x, AccessMode::write}});
  submit(3, {{x, AccessMode::read}});

  machine->flush();

  EXPECT_EQ(sent(), (Sent{{1, 0}, {2, 1}, {3, 1}}));
  EXPECT_EQ(bound.at(3).first.operands[0].source, core::no_rank);
}

TEST_F(FrontMachineTest, WaitsForPredecessorsOnSeveralRanks) {
  start({4, 4});
  const DataId x = add();
  const DataId y = add();
  submit(1, {{x, AccessMode::write}});
  submit(2, {{y, AccessMode::write}});
  submit(3, {{x, AccessMode::read}, {y, AccessMode::read}});
  machine->flush();
  EXPECT_EQ(sent(), (Sent{{1, 0}, {2, 1}}));

  EXPECT_TRUE(end(1));

  EXPECT_EQ(sent(), (Sent{{3, 1}}));
  EXPECT_EQ(bound.at(3).first.operands[0].source, RankId(0));
  EXPECT_EQ(bound.at(3).first.operands[1].source, core::no_rank);
}

TEST_F(FrontMachineTest, GivesATaskForGpusToARankWithOneThatIsLargeEnough) {
  start_with({{.cores = 8}, {.cores = 1, .gpu_bytes = 100}, {.cores = 1, .gpu_bytes = 200}});
  const DataId data = add();
  submit(1, {{data, AccessMode::write}});
  submit(2, {{add(), AccessMode::write}}, 1, 101);
  submit(3, {{data, AccessMode::read}, {add(), AccessMode::write}}, 1, 100);
  submit(4, {{add(), AccessMode::write}}, 1, 100);
  submit(5, {{add(), AccessMode::write}}, 1, 200);

  machine->flush();
  EXPECT_EQ(sent(), (Sent{{1, 0}, {2, 2}, {4, 1}, {5, 2}}));  // the third waits: its input is made where there is none
  EXPECT_TRUE(end(1));

  EXPECT_EQ(sent(), (Sent{{3, 1}}));
  EXPECT_EQ(bound.at(3).first.operands[0].source, RankId(0));
}

TEST_F(FrontMachineTest, LeavesTasksForGpusToRanksThatHaveSomeAndOthersToAll) {
  start_with({{.cores = 1, .gpu_bytes = 100}, {.cores = 1}});
  std::vector<DataId> data;
  for (std::uint64_t task = 1; task <= 2; ++task) {
    data.push_back(add());
    submit(task, {{data.back(), AccessMode::write}}, 1, 1);
  }
  machine->flush();
  EXPECT_EQ(sent(), (Sent{{1, 0}, {2, 0}}));
  submit(3, {{data[0], AccessMode::read}, {add(), AccessMode::write}});
  for (std::uint64_t task = 4; task <= 6; ++task) {
    submit(task, {{data[0], AccessMode::read}, {add(), AccessMode::write}}, 1, 1);
  }
  submit(7, {{add(), AccessMode::write}}, 16);
  EXPECT_TRUE(end(1));
  EXPECT_EQ(sent(), (Sent{{3, 0}, {7, 1}}));
  EXPECT_TRUE(end(7));

  EXPECT_EQ(sent(), Sent{});  // tasks for GPUs wait for rank 0, while rank 1 has nothing to do
  EXPECT_TRUE(end(2));
  EXPECT_TRUE(end(3));

  EXPECT_EQ(sent(), (Sent{{4, 0}, {5, 0}}));
}

TEST_F(FrontMachineTest, TellsRanksAndOwnerTheNameOfATask) {
  start({1});
  const std::string name(200, 'x');
  const graph::Access access{add(), AccessMode::write};
  std::vector<graph::StampedAccess> stamped;
  domain.stamp(TaskId(1), std::span(&access, 1), stamped);
  machine->submit({.task = TaskId(1), .kernel = {}, .place = {}, .name = name, .accesses = stamped, .parameters = {}});
  machine->flush();
  EXPECT_TRUE(end(1));

  EXPECT_EQ(last_name, name);
  EXPECT_EQ(name_sent, name.substr(0, 96));
}

TEST_F(FrontMachineTest, GivesTheBufferToTheLastReader) {
  start({4});
  const DataId x = add();
  submit(1, {{x, AccessMode::write}});
  submit(2, {{x, AccessMode::read}});
  submit(3, {{x, AccessMode::read_write}});

  machine->flush();

  EXPECT_EQ(bound.at(3).first.operands[0].kind, OperandKind::consume);
}

TEST_F(FrontMachineTest, CopiesWhatIsPinned) {
  start({4});
  const DataId x = add();
  submit(1, {{x, AccessMode::write}});
  machine->pin(x, Version(1));
  submit(2, {{x, AccessMode::read_write}});

  machine->flush();

  EXPECT_EQ(bound.at(2).first.operands[0].kind, OperandKind::copy);
}

TEST_F(FrontMachineTest, SkipsWhatReadsAFailedVersionAndStartsCleanAfterAWrite) {
  start({1});
  const DataId x = add();
  submit(1, {{x, AccessMode::write}});
  machine->flush();
  EXPECT_TRUE(end(1, Outcome::failed));

  submit(2, {{x, AccessMode::read_write}});
  submit(3, {{x, AccessMode::read}});
  submit(4, {{x, AccessMode::write}});
  machine->flush();

  EXPECT_THAT(endings, ElementsAre(std::pair(1u, Outcome::failed), std::pair(2u, Outcome::skipped),
                                   std::pair(3u, Outcome::skipped)));
  EXPECT_TRUE(bound.contains(4));
}

TEST_F(FrontMachineTest, CancelsWhatIsNotBound) {
  start({1});
  const DataId x = add();
  for (std::uint64_t task = 1; task <= 4; ++task) submit(task, {{add(), AccessMode::write}});
  submit(5, {{x, AccessMode::write}});
  machine->flush();

  machine->cancel();
  submit(6, {{x, AccessMode::write}});
  machine->flush();

  EXPECT_EQ(cancels, 1);
  EXPECT_EQ(machine->unended(), 2u);
  EXPECT_EQ(endings.size(), 4u);
  EXPECT_TRUE(end(1));
  EXPECT_TRUE(end(2, Outcome::cancelled));
  EXPECT_EQ(machine->unended(), 0u);
}

TEST_F(FrontMachineTest, DropsAndForgetsWhatIsReleased) {
  start({1});
  const DataId x = add();
  submit(1, {{x, AccessMode::write}});
  machine->flush();
  machine->release_data(x);
  EXPECT_THAT(forgotten_data, IsEmpty());

  EXPECT_TRUE(end(1));

  EXPECT_THAT(forgotten_data, ElementsAre(x));
  EXPECT_THAT(drops, ElementsAre(std::pair(0, 1u)));
}

TEST_F(FrontMachineTest, RefusesEndingsThatCannotBe) {
  start({1, 1});
  submit(1, {{add(), AccessMode::write}});
  machine->flush();
  const TaskCommand& command = bound.at(1).first;
  const auto with = [&](std::uint32_t ticket, std::uint64_t task, std::uint32_t attempt) {
    EndingReport report;
    report.ticket = ticket;
    report.ending.task = TaskId(task);
    report.ending.attempt = core::Attempt(attempt);
    return report;
  };

  EXPECT_FALSE(report(with(command.ticket + 1, 1, 1), RankId(0)));
  EXPECT_FALSE(report(with(~0U, 1, 1), RankId(0)));
  EXPECT_FALSE(report(with(command.ticket, 2, 1), RankId(0)));
  EXPECT_FALSE(report(with(command.ticket, 1, 2), RankId(0)));
  EXPECT_FALSE(end(1, Outcome::done, 1));
  EXPECT_EQ(machine->unended(), 1u);
  EXPECT_TRUE(end(1));
  EXPECT_FALSE(end(1));
}

TEST_F(FrontMachineTest, RefusesEndingsThatAreCutOff) {
  start({1});
  std::vector<std::byte> bytes;
  core::ByteWriter(bytes).put(std::uint32_t{3});
  core::ByteReader three(bytes);
  core::ByteReader none({});

  EXPECT_FALSE(machine->on_endings(RankId(0), three));
  EXPECT_FALSE(machine->on_endings(RankId(0), none));
}

}  // namespace
}  // namespace penstock::cluster
