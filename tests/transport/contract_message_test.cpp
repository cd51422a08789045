#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "transport/harness.hpp"

namespace penstock::transport::testing {

namespace {

TEST_P(TransportContract, DeliversMessagesOfEverySizeUnchanged) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const std::vector<std::size_t> sizes{
        0, 1, 7, 255, 256, 257, 4095, 4096, 4097, 65'536, 70'001, max_message_bytes - 1, max_message_bytes};

    for (const std::size_t size : sizes) peer.send(peer.next(), pattern(size, size));

    auto& inbox = peer.inbox(peer.previous());
    ASSERT_TRUE(peer.pump_until([&] { return inbox.size() == sizes.size(); }, "messages of all sizes"));
    for (std::size_t nth = 0; nth < sizes.size(); ++nth) {
      EXPECT_EQ(inbox[nth].size(), sizes[nth]);
      EXPECT_TRUE(is_pattern(inbox[nth], sizes[nth])) << sizes[nth] << " bytes";
    }
  });
}

TEST_P(TransportContract, KeepsOrderBetweenLargeAndSmallMessages) {
  on_every_rank(GetParam(), [](Peer& peer) {
    constexpr std::uint32_t count = 60;
    for (std::uint32_t nth = 0; nth < count; ++nth) {
      Bytes message(nth % 3 == 0 ? max_message_bytes : sizeof(nth));
      std::memcpy(message.data(), &nth, sizeof(nth));
      for (int to = 0; to < peer.ranks(); ++to) peer.send(to, message);
    }

    for (int from = 0; from < peer.ranks(); ++from) {
      auto& inbox = peer.inbox(from);
      ASSERT_TRUE(peer.pump_until([&] { return inbox.size() == count; }, "mixed messages"));
      for (std::uint32_t nth = 0; nth < count; ++nth) EXPECT_EQ(value_of<std::uint32_t>(inbox[nth]), nth);
    }
  });
}

TEST_P(TransportContract, CarriesManySmallMessagesBothWaysAtOnce) {
  on_every_rank(GetParam(), [](Peer& peer) {
    constexpr std::uint32_t count = 100'000;
    std::vector<std::uint32_t> arrived(static_cast<std::size_t>(peer.ranks()), 0);
    std::uint32_t out_of_order = 0;
    // With one or two ranks next and previous are one: each of its numbers comes twice.
    const std::uint32_t repeats = peer.next() == peer.previous() ? 2 : 1;
    peer.on_message = [&](int from, std::span<const std::byte> message) {
      const std::uint32_t expected = arrived[static_cast<std::size_t>(from)]++ / repeats;
      if (value_of<std::uint32_t>(message) != expected) ++out_of_order;
    };

    for (std::uint32_t nth = 0; nth < count; ++nth) {
      peer.send(peer.next(), nth);
      peer.send(peer.previous(), nth);
      if (nth % 64 == 0) peer.transport().progress(peer);
    }

    const auto total = [&] {
      std::uint64_t sum = 0;
      for (const std::uint32_t one : arrived) sum += one;
      return sum;
    };
    ASSERT_TRUE(peer.pump_until([&] { return total() == 2u * count; }, "many small messages"));
    EXPECT_EQ(out_of_order, 0u);
  });
}

TEST_P(TransportContract, DeliversToItselfInOrderAndNotInsideSend) {
  on_every_rank(GetParam(), [](Peer& peer) {
    for (std::uint32_t nth = 0; nth < 1000; ++nth) peer.send(peer.rank(), nth);
    auto& inbox = peer.inbox(peer.rank());
    EXPECT_TRUE(inbox.empty());

    ASSERT_TRUE(peer.pump_until([&] { return inbox.size() == 1000; }, "messages to itself"));

    for (std::uint32_t nth = 0; nth < 1000; ++nth) EXPECT_EQ(value_of<std::uint32_t>(inbox[nth]), nth);
  });
}

TEST_P(TransportContract, AllowsSendsFromInsideTheReceiver) {
  on_every_rank(GetParam(), [](Peer& peer) {
    // A token goes round 500 times, growing; with it goes a message of the receiver to itself.
    constexpr std::uint32_t hops = 500;
    std::uint32_t last = 0;
    std::uint32_t notes = 0;
    const auto laps = hops * static_cast<std::uint32_t>(peer.ranks());
    peer.on_message = [&](int from, std::span<const std::byte> message) {
      if (message.size() == 1) {
        EXPECT_EQ(from, peer.rank());
        ++notes;
        return;
      }
      EXPECT_EQ(from, peer.previous());
      last = value_of<std::uint32_t>(message);
      peer.send(peer.rank(), std::uint8_t{0});
      Bytes onward(sizeof(last) + last * 8);
      const std::uint32_t value = last + 1;
      std::memcpy(onward.data(), &value, sizeof(value));
      if (value < laps) peer.send(peer.next(), onward);
    };

    if (peer.rank() == 0) peer.send(peer.next(), std::uint32_t{0});

    ASSERT_TRUE(peer.pump_until([&] { return notes == hops; }, "the token"));
    EXPECT_GE(last, laps - static_cast<std::uint32_t>(peer.ranks()));
  });
}

TEST_P(TransportContract, CopiesTheMessageInSend) {
  on_every_rank(GetParam(), [](Peer& peer) {
    for (const std::size_t size : {std::size_t{64}, max_message_bytes}) {
      Bytes message = pattern(size, 5);
      peer.send(peer.next(), message);
      std::ranges::fill(message, std::byte{0xEE});
    }

    auto& inbox = peer.inbox(peer.previous());
    ASSERT_TRUE(peer.pump_until([&] { return inbox.size() == 2; }, "two messages"));
    EXPECT_TRUE(is_pattern(inbox[0], 5));
    EXPECT_TRUE(is_pattern(inbox[1], 5));
  });
}

}  // namespace

}  // namespace penstock::transport::testing
