#include <algorithm>
#include <cstdint>
#include <vector>

#include "transport/harness.hpp"

namespace penstock::transport::testing {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

enum class First { send, receive };

/// Sends a bulk from rank 0 to the last one and checks it there; one side starts only after the other has.
void carry(Peer& peer, std::size_t size, First first) {
  const int last = peer.ranks() - 1;
  const Bytes out = peer.rank() == 0 ? pattern(size, size) : Bytes();
  Bytes in(peer.rank() == last ? size : 0, std::byte{0xAB});
  const auto start = [&](First side) {
    if (side == First::send && peer.rank() == 0) peer.send_bulk(last, 9, out);
    if (side == First::receive && peer.rank() == last) peer.receive_bulk(0, 9, in);
  };

  start(first);
  peer.meet();
  start(first == First::send ? First::receive : First::send);
  peer.synchronise();

  if (peer.rank() == last) {
    EXPECT_TRUE(is_pattern(in, size)) << size << " bytes";
  }
}

void carry_all(Peer& peer, const std::vector<std::size_t>& sizes, First first) {
  for (const std::size_t size : sizes) carry(peer, size, first);

  const int last = peer.ranks() - 1;
  EXPECT_EQ(peer.sent(last).size(), peer.rank() == 0 ? sizes.size() : 0);
  EXPECT_EQ(peer.received(0).size(), peer.rank() == last ? sizes.size() : 0);
}

TEST_P(TransportContract, CarriesBulkOfEverySizeReceiveFirst) {
  on_every_rank(GetParam(), [](Peer& peer) {
    carry_all(peer, {0, 1, 4097, mebibyte, 8 * mebibyte, 8 * mebibyte + 1, 63 * mebibyte, 130 * mebibyte},
              First::receive);
  });
}

TEST_P(TransportContract, CarriesBulkOfEverySizeSendFirst) {
  on_every_rank(GetParam(), [](Peer& peer) {
    carry_all(peer, {0, 1, 4097, 16 * mebibyte, 63 * mebibyte, 130 * mebibyte}, First::send);
  });
}

TEST_P(TransportContract, KeepsBulksOfEqualNumbersApartByPeer) {
  on_every_rank(GetParam(), [](Peer& peer) {
    constexpr BulkNumber numbers = 8;
    const auto size_of = [](int from, int to, BulkNumber number) {
      return static_cast<std::size_t>(from * 31 + to * 17 + 1) * 5'011u * number;
    };
    const auto key_of = [](int from, int to, BulkNumber number) {
      return static_cast<std::uint64_t>(from * 1000 + to * 100) + number;
    };
    std::vector<std::vector<Bytes>> in(static_cast<std::size_t>(peer.ranks()));
    std::vector<Bytes> out;
    for (int other = 0; other < peer.ranks(); ++other) {
      auto& from_other = in[static_cast<std::size_t>(other)];
      for (BulkNumber number = 0; number < numbers; ++number) {
        from_other.emplace_back(size_of(other, peer.rank(), number));
        out.push_back(pattern(size_of(peer.rank(), other, number), key_of(peer.rank(), other, number)));
      }
    }

    for (BulkNumber number = 0; number < numbers; ++number) {
      for (int other = 0; other < peer.ranks(); ++other) {
        const auto place = static_cast<std::size_t>(other);
        peer.send_bulk(other, number, out[place * numbers + number]);
        const BulkNumber reversed = numbers - 1 - number;
        peer.receive_bulk(other, reversed, in[place][reversed]);
      }
    }
    peer.synchronise();

    for (int other = 0; other < peer.ranks(); ++other) {
      EXPECT_EQ(peer.sent(other).size(), numbers);
      EXPECT_EQ(peer.received(other).size(), numbers);
      for (BulkNumber number = 0; number < numbers; ++number) {
        EXPECT_TRUE(is_pattern(in[static_cast<std::size_t>(other)][number], key_of(other, peer.rank(), number)));
      }
    }
  });
}

TEST_P(TransportContract, AllowsANumberAgainRightAfterItsEnd) {
  on_every_rank(GetParam(), [](Peer& peer) {
    // The receiver asks for the next bulk from inside the end of the last; the sender may not know of that end yet.
    constexpr std::size_t rounds = 100;
    constexpr std::size_t size = 300'000;
    Bytes in(size);
    std::vector<Bytes> out;
    std::size_t arrived = 0;
    peer.on_message = [&](int from, std::span<const std::byte> message) {
      out.push_back(pattern(size, value_of<std::uint32_t>(message)));
      peer.send_bulk(from, 3, out.back());
    };
    const auto ask = [&] {
      peer.receive_bulk(peer.previous(), 3, in);
      peer.send(peer.previous(), static_cast<std::uint32_t>(arrived));
    };
    peer.on_bulk_received = [&](int from, BulkNumber number) {
      EXPECT_EQ(from, peer.previous());
      EXPECT_EQ(number, 3u);
      EXPECT_TRUE(is_pattern(in, arrived));
      if (++arrived < rounds) ask();
    };
    out.reserve(rounds);

    ask();

    ASSERT_TRUE(
        peer.pump_until([&] { return arrived == rounds && peer.sent(peer.next()).size() == rounds; }, "rounds"));
  });
}

TEST_P(TransportContract, KeepsMessagesFlowingDuringABigBulk) {
  if (GetParam() == 1) GTEST_SKIP() << "needs two ranks";
  on_every_rank(GetParam(), [](Peer& peer) {
    const int other = 1 - peer.rank();
    const std::size_t size = 130 * mebibyte;
    const Bytes out = peer.rank() == 0 ? pattern(size, 1) : Bytes();
    Bytes in(peer.rank() == 1 ? size : 0);
    // Rank 1 sends the next ping when the last comes back, and counts those that made it before the bulk ended.
    int round_trips = 0;
    // The last one comes back after that end; nothing is under way then.
    bool ended = false;
    bool last_back = false;
    peer.on_message = [&](int from, std::span<const std::byte> message) {
      if (ended) {
        last_back = true;
        return;
      }
      if (peer.rank() == 1) ++round_trips;
      peer.send(from, message);
    };
    peer.on_bulk_received = [&](int, BulkNumber) { ended = true; };

    if (peer.rank() == 0) {
      peer.send_bulk(other, 0, out);
    } else if (peer.rank() == 1) {
      peer.receive_bulk(other, 0, in);
      peer.send(other, std::uint8_t{0});
      static_cast<void>(peer.pump_until([&] { return last_back; }, "the bulk and the last ping"));
    }
    peer.synchronise();

    if (peer.rank() == 1) {
      EXPECT_GE(round_trips, 2);
      EXPECT_TRUE(is_pattern(in, 1));
    }
  });
}

TEST_P(TransportContract, IsBusyWhileABulkIsUnderWay) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const Bytes out = pattern(100, 1);
    Bytes in(100);
    EXPECT_FALSE(peer.transport().busy());

    peer.receive_bulk(peer.previous(), 0, in);
    EXPECT_TRUE(peer.transport().busy());
    peer.send_bulk(peer.next(), 0, out);

    ASSERT_TRUE(peer.pump_until([&] { return !peer.transport().busy(); }, "the end"));
    EXPECT_EQ(peer.sent(peer.next()).size(), 1u);
    EXPECT_EQ(peer.received(peer.previous()).size(), 1u);
  });
}

}  // namespace

}  // namespace penstock::transport::testing
