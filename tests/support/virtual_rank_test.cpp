#include "support/virtual_rank.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "support/program.hpp"

namespace penstock::support {
namespace {

using cluster::Operand;
using cluster::OperandKind;
using core::DataId;
using core::RankId;
using core::TaskId;
using core::Version;

/// Everything happens at once, in order, and is noted.
class Recorder final : public World {
 public:
  void later(Delay /*delay*/, std::function<void()> action) override { actions.push_back(std::move(action)); }
  void fetch(RankId /*to*/, const cluster::Admission::Fetch& order) override { fetches.push_back(order); }
  void report(RankId /*from*/, std::vector<std::byte> item) override { items.push_back(std::move(item)); }
  void computed(TaskId /*task*/, std::span<const std::uint64_t> values) override {
    reads.assign(values.begin(), values.end());
  }
  std::int64_t busy_ns() override { return 1; }

  void run() {
    for (std::size_t i = 0; i < actions.size(); ++i) std::exchange(actions[i], {})();
    actions.clear();
  }

  std::vector<std::function<void()>> actions;
  std::vector<cluster::Admission::Fetch> fetches;
  std::vector<std::vector<std::byte>> items;
  std::vector<std::uint64_t> reads;
};

std::vector<std::byte> command(std::uint64_t task, const Operand& operand) {
  std::vector<std::byte> parameters;
  encode_salt({.kernel = {}, .cores = 1, .salt = task, .fails = false, .accesses = {}}, parameters);
  cluster::TaskCommand command;
  command.task = TaskId(task);
  command.operands = {operand};
  command.parameters = parameters;
  std::vector<std::byte> bytes;
  core::ByteWriter writer(bytes);
  write(writer, command);
  return bytes;
}

TEST(VirtualRank, ComputesInPlaceWhatIsConsumed) {
  Recorder world;
  VirtualRank rank(RankId(0), world);

  rank.receive(
      command(1, {.kind = OperandKind::write, .data = DataId(4), .reads = {}, .writes = Version(1), .type = {}}));
  rank.receive(command(
      2, {.kind = OperandKind::consume, .data = DataId(4), .reads = Version(1), .writes = Version(2), .type = {}}));
  world.run();

  EXPECT_EQ(world.reads, std::vector{written_value({}, 1, {}, 0)});
  EXPECT_TRUE(rank.holds(DataId(4), Version(2)));
  EXPECT_FALSE(rank.holds(DataId(4), Version(1)));
  EXPECT_EQ(rank.live_storages(), 1u);
}

TEST(VirtualRank, WaitsForWhatItFetches) {
  Recorder world;
  VirtualRank rank(RankId(0), world);
  rank.receive(command(1, {.kind = OperandKind::read,
                           .data = DataId(0),
                           .reads = Version(7),
                           .writes = {},
                           .source = RankId(1),
                           .type = {}}));
  world.run();
  EXPECT_TRUE(world.items.empty());
  ASSERT_EQ(world.fetches.size(), 1u);

  rank.fetched(world.fetches[0].slot, 99);
  world.run();

  EXPECT_EQ(world.reads, std::vector<std::uint64_t>{99});
  EXPECT_EQ(world.items.size(), 1u);
}

TEST(VirtualRank, RefusesAVersionThatIsNotHere) {
  Recorder world;
  VirtualRank rank(RankId(0), world);
  const Operand lost{.kind = OperandKind::read, .data = DataId(0), .reads = Version(1), .writes = {}, .type = {}};

  EXPECT_THROW(rank.receive(command(1, lost)), Violation);
  EXPECT_THROW(static_cast<void>(rank.serve(DataId(0), Version(1))), Violation);
}

}  // namespace
}  // namespace penstock::support
