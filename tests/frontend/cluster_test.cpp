// What only shows with other ranks: transfers, failures that travel, values that are brought home.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/typed_kernel.hpp>

#include "backend/local_cluster.hpp"
#include "frontend/cluster_frontend.hpp"

namespace penstock::tests {

namespace {

using I64 = std::int64_t;
using ::testing::Each;
using ::testing::HasSubstr;

const auto shout = kernel("test.shout", [](Out<I64> /*out*/, I64 bytes) {
  throw std::runtime_error(std::string(static_cast<std::size_t>(bytes), 'a'));
});

const auto listen = kernel("test.listen", [](Out<I64> out, const std::string& text) {
  for (I64& value : out) value = static_cast<I64>(text.size());
});

class AnyFrontend : public ::testing::TestWithParam<int> {
 protected:
  core::DataId add(std::int64_t elements) { return cluster_.frontend().add_data({DType::i64, Shape{elements}}); }

  void fill(core::DataId data, I64 value) {
    const graph::Access access{data, AccessMode::write};
    const Parameter parameter = static_cast<double>(value);
    cluster_.submit("fill", std::span(&access, 1), std::span(&parameter, 1));
  }

  void increment(core::DataId data) {
    const graph::Access access{data, AccessMode::read_write};
    const Parameter by = 1.0;
    cluster_.submit("increment", std::span(&access, 1), std::span(&by, 1));
  }

  void sum(core::DataId left, core::DataId right, core::DataId out) {
    const graph::Access accesses[] = {{left, AccessMode::read}, {right, AccessMode::read}, {out, AccessMode::write}};
    cluster_.submit("add", accesses, {});
  }

  LocalCluster cluster_{{.ranks = GetParam(), .cores = 2}};
};

TEST_P(AnyFrontend, AddsUpATreeOfArraysFromAllRanks) {
  constexpr std::int64_t elements = 5000;
  std::vector<core::DataId> level;
  for (int i = 0; i < 64; ++i) fill(level.emplace_back(add(elements)), i);

  while (level.size() > 1) {
    std::vector<core::DataId> next;
    for (std::size_t i = 0; i < level.size(); i += 2) sum(level[i], level[i + 1], next.emplace_back(add(elements)));
    for (const core::DataId data : level) cluster_.frontend().release_data(data);
    level = next;
  }

  EXPECT_THAT(cluster_.read<I64>(level[0], elements), Each(64 * 63 / 2));
}

TEST_P(AnyFrontend, BringsLargeAndEmptyArraysHome) {
  constexpr std::int64_t large = std::int64_t{1} << 20;  // 8 MiB: several chunks
  std::vector<core::DataId> data;
  for (int i = 0; i < 8; ++i) fill(data.emplace_back(add(i % 2 == 0 ? large : 0)), i);

  for (int i = 0; i < 8; ++i) {
    const std::int64_t elements = i % 2 == 0 ? large : 0;
    EXPECT_THAT(cluster_.read<I64>(data[static_cast<std::size_t>(i)], elements), Each(i));
  }
}

TEST_P(AnyFrontend, KeepsAPinnedVersionOnRankZero) {
  const core::DataId data = add(100);
  fill(data, 1);
  const frontend::Pinned pinned = cluster_.frontend().bring(data);
  const auto* const bytes = reinterpret_cast<const I64*>(pinned.bytes);

  for (int i = 0; i < 500; ++i) increment(data);
  cluster_.frontend().wait(data);

  EXPECT_THAT(std::vector<I64>(bytes, bytes + 100), Each(1));
  EXPECT_THAT(cluster_.read<I64>(data, 100), Each(501));
  cluster_.frontend().unpin(pinned);
}

TEST_P(AnyFrontend, IsReadFromSeveralThreads) {
  std::vector<core::DataId> data;
  for (int i = 0; i < 40; ++i) fill(data.emplace_back(add(10)), i);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 3; ++reader) {
      readers.emplace_back([&] {
        for (std::size_t i = 0; i < data.size(); ++i) {
          if (cluster_.read<I64>(data[i], 10)[9] != static_cast<I64>(i)) ++wrong;
        }
      });
    }
  }

  EXPECT_EQ(wrong, 0);
}

TEST_P(AnyFrontend, HearsALongMessageFromAnyRank) {
  const Parameter bytes = I64{3} << 20;
  for (int i = 0; i < 40; ++i) {
    const graph::Access access{add(1), AccessMode::write};
    cluster_.submit("test.shout", std::span(&access, 1), std::span(&bytes, 1), Place("cluster_test.cpp", 1));
  }

  EXPECT_THROW(cluster_.frontend().wait_all(), TaskError);

  EXPECT_EQ(cluster_.frontend().counts().failed, 40U);
  EXPECT_THAT(cluster_.frontend().first_failures().front().line, HasSubstr("aaaa"));
}

TEST_P(AnyFrontend, PassesLongTextsToAnyRank) {
  constexpr std::size_t length = std::size_t{200} << 10;
  const Parameter text = std::string(length, 'b');
  std::vector<core::DataId> data;
  for (int i = 0; i < 40; ++i) {
    const graph::Access access{data.emplace_back(add(1)), AccessMode::write};
    cluster_.submit("test.listen", std::span(&access, 1), std::span(&text, 1));
  }

  for (const core::DataId one : data) EXPECT_THAT(cluster_.read<I64>(one, 1), Each(length));
}

TEST_P(AnyFrontend, RefusesTextsThatAreTooLong) {
  const Parameter text = std::string(std::size_t{3} << 20, 'b');
  const graph::Access access{add(1), AccessMode::write};

  EXPECT_THROW(cluster_.submit("test.listen", std::span(&access, 1), std::span(&text, 1), Place("cluster_test.cpp", 1)),
               Error);

  fill(access.data, 4);
  EXPECT_THAT(cluster_.read<I64>(access.data, 1), Each(4));
}

TEST_P(AnyFrontend, EndsCancelledTasksOnAllRanks) {
  const core::DataId data = add(1000);
  fill(data, 0);
  for (int i = 0; i < 5000; ++i) increment(data);

  cluster_.frontend().cancel();
  cluster_.frontend().drain();

  const frontend::Counts counts = cluster_.frontend().counts();
  EXPECT_EQ(counts.ended(), 5001U);
  EXPECT_EQ(counts.failed, 0U);
}

INSTANTIATE_TEST_SUITE_P(OnRanks, AnyFrontend, ::testing::Values(0, 1, 2, 4));

/// A rank that never answers.
class Silence final : public frontend::Delivery {
 public:
  void deliver(core::RankId /*to*/, std::span<const std::byte> /*commands*/) override {}
  std::byte* bytes_of(core::DataId /*data*/, core::Version /*version*/) override { return nullptr; }
};

TEST(Frontend, ThrowsWhereItWaitsOnceTheRunIsBroken) {
  Silence nobody;
  const cluster::RankSize rank{.cores = 1};
  frontend::ClusterFrontend frontend(std::span(&rank, 1), {.tasks = 10, .bytes = 1000},
                                     kernels::KernelTable::process().all(), nobody);
  const core::DataId data = frontend.add_data({DType::i64, Shape{1}});
  const graph::Access access{data, AccessMode::write};
  frontend.submit({.kernel = {}, .cores = 1, .accesses = std::span(&access, 1), .parameters = {}, .place = {}});
  std::jthread breaker([&] { frontend.break_off("rank 1 is gone"); });

  EXPECT_THROW(frontend.wait(data), Error);
  EXPECT_THROW(frontend.drain(), Error);
  EXPECT_THROW(frontend.wait_all(), Error);
}

}  // namespace

}  // namespace penstock::tests
