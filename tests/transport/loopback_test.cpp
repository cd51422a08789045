#include "transport/loopback/loopback.hpp"

#include <gtest/gtest.h>

#include "transport/peer.hpp"

namespace penstock::transport::testing {

namespace {

TEST(Loopback, NumbersItsRanks) {
  const auto group = make_loopback(3);

  ASSERT_EQ(group.size(), 3u);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(group[static_cast<std::size_t>(rank)]->rank().value(), rank);
    EXPECT_EQ(group[static_cast<std::size_t>(rank)]->ranks(), 3);
  }
}

TEST(Loopback, LetsAMessageOvertakeABulkAfterOneChunk) {
  const auto group = make_loopback(2);
  Peer sender(*group[0]);
  Peer receiver(*group[1]);
  const Bytes out = pattern(50'000'000, 1);
  Bytes in(out.size());
  receiver.receive_bulk(0, 0, in);
  sender.send_bulk(1, 0, out);
  receiver.transport().progress(receiver);

  sender.send(1, std::uint8_t{1});
  receiver.transport().progress(receiver);

  EXPECT_EQ(receiver.inbox(0).size(), 1u);
  EXPECT_TRUE(receiver.received(0).empty());
}

TEST(Loopback, ReadsNoMemoryOfASenderThatIsGone) {
  auto group = make_loopback(2);
  Peer receiver(*group[1]);
  Bytes in(5'000'000, std::byte{0x11});
  {
    const Bytes out(in.size(), std::byte{0x22});
    receiver.receive_bulk(0, 0, in);
    group[0]->send_bulk(core::RankId{1}, 0, out);
    receiver.transport().progress(receiver);
    group[0].reset();
  }

  while (receiver.transport().progress(receiver)) {
  }

  EXPECT_TRUE(receiver.received(0).empty());
  EXPECT_TRUE(receiver.transport().busy());
  EXPECT_EQ(in.back(), std::byte{0x11});
}

TEST(Loopback, AllowsSendsToARankThatIsGone) {
  auto group = make_loopback(2);
  const Bytes out(100);
  group[1].reset();

  group[0]->send(core::RankId{1}, out);
  group[0]->send_bulk(core::RankId{1}, 0, out);

  Peer sender(*group[0]);
  EXPECT_FALSE(sender.transport().progress(sender));
  EXPECT_TRUE(sender.transport().busy());
}

TEST(LoopbackDeathTest, RefusesAMessageThatIsTooLarge) {
  const auto group = make_loopback(1);
  const Bytes message(max_message_bytes + 1);

  EXPECT_DEATH(group[0]->send(core::RankId{0}, message), "assertion failed");
}

TEST(LoopbackDeathTest, RefusesSizesThatDiffer) {
  const auto group = make_loopback(1);
  Peer peer(*group[0]);
  const Bytes out(10);
  Bytes in(11);
  peer.send_bulk(0, 0, out);
  peer.transport().progress(peer);

  EXPECT_DEATH(peer.receive_bulk(0, 0, in), "assertion failed");
}

TEST(LoopbackDeathTest, RefusesANumberOutOfRange) {
  const auto group = make_loopback(1);

  EXPECT_DEATH(group[0]->send_bulk(core::RankId{0}, bulk_numbers, {}), "assertion failed");
}

}  // namespace

}  // namespace penstock::transport::testing
