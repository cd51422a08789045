#include "mover/mover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include <penstock/error.hpp>

#include "cluster/messages.hpp"
#include "transport/loopback/loopback.hpp"

namespace penstock::mover {
namespace {

using coherence::ReplicaIndex;
using coherence::SlotIndex;
using core::DataId;
using core::RankId;
using core::Version;
using testing::ElementsAre;
using testing::HasSubstr;

using Bytes = std::vector<std::byte>;

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 31 + seed * 7 + (i >> 8)) & 0xff);
  return bytes;
}

/// A rank with versions to serve, that notes what its mover tells it.
class Peer final : public MoverEvents {
 public:
  explicit Peer(std::unique_ptr<transport::Transport> transport) : mover(std::move(transport)) {}

  void own(std::uint32_t data, Bytes bytes) { versions_[data] = std::move(bytes); }
  void fetch(std::uint32_t slot, int from, std::uint32_t data, Bytes& into) {
    mover.fetch({SlotIndex(slot), RankId(from), DataId(data), Version(1), into});
  }

  void message(RankId from, std::span<const std::byte> message) override {
    messages.emplace_back(from.value(), static_cast<int>(message.front()));
  }
  Serving serve(DataId data, Version version) override {
    const auto found = versions_.find(data.value());
    if (found == versions_.end() || version != Version(1)) return {};
    if (late > 0) {
      --late;
      return {.state = Serving::State::later, .replica = {}};
    }
    ++serving;
    return {.state = Serving::State::here, .replica = {ReplicaIndex(data.value()), found->second}};
  }
  void served(ReplicaIndex replica) override {
    --serving;
    served_data.push_back(replica.value());
  }
  void fetched(SlotIndex slot) override { fetched_slots.push_back(slot.value()); }

  Mover mover;
  std::vector<std::pair<int, int>> messages;
  std::vector<std::uint32_t> served_data;
  std::vector<std::uint32_t> fetched_slots;
  int serving = 0;
  int late = 0;  ///< so often it has nothing yet

 private:
  std::map<std::uint32_t, Bytes> versions_;
};

class MoverTest : public ::testing::TestWithParam<int> {
 protected:
  MoverTest() {
    for (auto& transport : transport::make_loopback(GetParam())) peers.emplace_back(std::move(transport));
  }
  void run_until_quiet() {
    bool moved = true;
    while (moved || !std::ranges::all_of(peers, [](Peer& peer) { return peer.mover.quiet(); })) {
      moved = false;
      for (Peer& peer : peers) moved = peer.mover.progress(peer) || moved;
    }
  }

  std::deque<Peer> peers;
};

INSTANTIATE_TEST_SUITE_P(Ranks, MoverTest, ::testing::Values(2, 3),
                         [](const auto& ranks) { return std::to_string(ranks.param); });

TEST_P(MoverTest, DeliversMessagesInTheOrderOfTheirPosts) {
  for (int i = 0; i < 100; ++i) peers[1].mover.post(RankId(0), Bytes{static_cast<std::byte>(100 + i)});

  run_until_quiet();

  ASSERT_EQ(peers[0].messages.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(peers[0].messages[static_cast<std::size_t>(i)], std::pair(1, 100 + i));
}

TEST_P(MoverTest, CopiesAMessageWhenItIsPosted) {
  Bytes message{std::byte{77}};

  peers[1].mover.post(RankId(0), message);
  message[0] = std::byte{0};
  run_until_quiet();

  EXPECT_THAT(peers[0].messages, ElementsAre(std::pair(1, 77)));
}

TEST_P(MoverTest, FetchesAVersionFromItsOwner) {
  const Bytes bytes = pattern(100'000, 1);
  peers[1].own(5, bytes);
  Bytes into(bytes.size());

  peers[0].fetch(42, 1, 5, into);
  EXPECT_FALSE(peers[0].mover.quiet());
  run_until_quiet();

  EXPECT_EQ(into, bytes);
  EXPECT_THAT(peers[0].fetched_slots, ElementsAre(42));
  EXPECT_THAT(peers[1].served_data, ElementsAre(5));
  EXPECT_TRUE(peers[0].messages.empty() && peers[1].messages.empty());
  EXPECT_EQ(peers[0].mover.bytes_received(), bytes.size());
  EXPECT_EQ(peers[0].mover.bytes_sent(), 0u);
  EXPECT_EQ(peers[1].mover.bytes_sent(), bytes.size());
}

TEST_P(MoverTest, AsksAgainForWhatIsStillOnItsWay) {
  const Bytes bytes = pattern(1000, 1);
  peers[1].own(5, bytes);
  peers[1].late = 10;
  Bytes into(bytes.size());

  peers[0].fetch(42, 1, 5, into);
  while (peers[1].late > 0) {
    for (Peer& peer : peers) peer.mover.progress(peer);
    EXPECT_TRUE(peers[1].late == 10 || peers[1].late == 0 || !peers[1].mover.quiet());
  }
  run_until_quiet();

  EXPECT_EQ(into, bytes);
  EXPECT_EQ(peers[1].serving, 0);
}

TEST_P(MoverTest, FetchesVersionsWithoutBytes) {
  peers[1].own(0, {});
  Bytes into;

  peers[0].fetch(1, 1, 0, into);
  run_until_quiet();

  EXPECT_THAT(peers[0].fetched_slots, ElementsAre(1));
  EXPECT_EQ(peers[1].serving, 0);
}

TEST_P(MoverTest, KeepsAReplicaInUseUntilItIsSent) {
  peers[1].own(5, pattern(20'000'000, 2));
  Bytes into(20'000'000);
  peers[0].fetch(0, 1, 5, into);
  peers[0].mover.progress(peers[0]);

  peers[1].mover.progress(peers[1]);

  EXPECT_EQ(peers[1].serving, 1);
  run_until_quiet();
  EXPECT_EQ(peers[1].serving, 0);
  EXPECT_EQ(into, pattern(20'000'000, 2));
}

TEST_P(MoverTest, CarriesManyTransfersBothWaysAtOnce) {
  constexpr std::uint32_t rounds = 30;
  constexpr std::uint32_t at_once = 100;
  const auto ranks = static_cast<unsigned>(GetParam());
  for (unsigned rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t data = 0; data < at_once; ++data)
      peers[rank].own(data, pattern(data * 40, rank * at_once + data));
  }
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::deque<Bytes> into;
    for (unsigned rank = 0; rank < ranks; ++rank) {
      for (std::uint32_t data = 0; data < at_once; ++data) {
        peers[rank].fetch(data, static_cast<int>((rank + 1) % ranks), data, into.emplace_back(data * 40));
      }
    }

    run_until_quiet();

    for (unsigned rank = 0; rank < ranks; ++rank) {
      for (std::uint32_t data = 0; data < at_once; ++data) {
        ASSERT_EQ(into[rank * at_once + data], pattern(data * 40, (rank + 1) % ranks * at_once + data));
      }
    }
  }
  for (Peer& peer : peers) {
    EXPECT_EQ(peer.fetched_slots.size(), rounds * at_once);
    EXPECT_EQ(peer.served_data.size(), rounds * at_once);
    EXPECT_EQ(peer.serving, 0);
  }
}

TEST_P(MoverTest, ThrowsWhenAskedForWhatIsNotHere) {
  Bytes into(10);
  peers[0].fetch(1, 1, 9, into);
  peers[0].mover.progress(peers[0]);

  try {
    peers[1].mover.progress(peers[1]);
    ADD_FAILURE() << "a version that is not here was served";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::environment);
    EXPECT_THAT(error.what(), HasSubstr("rank 0 asked for version 1 of datum 9"));
  }
}

TEST_P(MoverTest, ThrowsAtARequestThatIsCutOff) {
  peers[0].own(0, Bytes(8));
  peers[1].mover.post(RankId(0), Bytes{static_cast<std::byte>(cluster::Tag::fetch), std::byte{0}});
  peers[1].mover.progress(peers[1]);

  EXPECT_THROW(peers[0].mover.progress(peers[0]), Error);
}

TEST_P(MoverTest, TakesPostsAndFetchesFromAnyThread) {
  constexpr std::uint32_t each = 200;
  peers[1].own(3, pattern(64, 3));
  std::deque<Bytes> into(2 * each, Bytes(64));
  const auto work = [&](std::uint32_t first) {
    for (std::uint32_t i = first; i < first + each; ++i) {
      peers[0].fetch(i, 1, 3, into[i]);
      peers[0].mover.post(RankId(1), Bytes{std::byte{200}});
    }
  };
  std::thread one(work, 0);
  std::thread other(work, each);

  while (peers[0].fetched_slots.size() < 2 * each || peers[1].messages.size() < 2 * each) {
    for (Peer& peer : peers) peer.mover.progress(peer);
  }
  one.join();
  other.join();
  run_until_quiet();

  EXPECT_TRUE(std::ranges::all_of(into, [](const Bytes& bytes) { return bytes == pattern(64, 3); }));
  EXPECT_EQ(peers[1].messages.size(), 2 * each);
}

TEST_P(MoverTest, EndsAWaitWhenThereIsSomethingToDo) {
  std::thread poster([&] { peers[0].mover.post(RankId(1), Bytes{std::byte{201}}); });

  while (peers[1].messages.empty()) {
    peers[0].mover.wait(std::chrono::minutes(1));
    peers[0].mover.progress(peers[0]);
    peers[1].mover.progress(peers[1]);
  }
  poster.join();

  EXPECT_THAT(peers[1].messages, ElementsAre(std::pair(0, 201)));
}

}  // namespace
}  // namespace penstock::mover
