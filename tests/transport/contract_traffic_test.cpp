#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "transport/harness.hpp"

namespace penstock::transport::testing {

namespace {

/// What one rank sends: known to all from the seed, so that each can check what it gets.
struct Plan {
  struct Message {
    int to;
    std::size_t size;
  };
  struct Bulk {
    int to;
    BulkNumber number;
    std::size_t size;
  };
  std::vector<Message> messages;
  std::vector<Bulk> bulks;
};

std::uint64_t key_of(int from, int to, std::uint64_t nth) {
  return (static_cast<std::uint64_t>(from) << 40) + (static_cast<std::uint64_t>(to) << 32) + nth;
}

Plan plan_of(std::uint64_t seed, int from, int ranks) {
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(from) * 7919);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  Plan plan;
  for (int nth = 0; nth < 2000; ++nth) {
    const bool large = below(50) == 0;
    plan.messages.push_back({.to = static_cast<int>(below(static_cast<std::uint64_t>(ranks))),
                             .size = below(large ? max_message_bytes + 1 : 2000)});
  }
  for (BulkNumber number = 0; number < 40; ++number) {
    plan.bulks.push_back({.to = static_cast<int>(below(static_cast<std::uint64_t>(ranks))),
                          .number = number * 26'000,
                          .size = below(std::uint64_t{1} << (10 + below(15)))});
  }
  return plan;
}

/// One rank's part: what it will get from each other, and whether it did.
class Traffic {
 public:
  Traffic(Peer& peer, std::uint64_t seed) : peer_(peer), order_(seed ^ static_cast<std::uint64_t>(peer.rank())) {
    for (int from = 0; from < peer.ranks(); ++from) plans_.push_back(plan_of(seed, from, peer.ranks()));
    arrived_.resize(plans_.size());
    for (int from = 0; from < peer.ranks(); ++from) {
      for (const auto& bulk : plan(from).bulks) {
        if (bulk.to == peer.rank()) in_.push_back({from, bulk.number, Bytes(bulk.size)});
      }
    }
    for (const auto& bulk : plan(peer.rank()).bulks) {
      out_.push_back(pattern(bulk.size, key_of(peer.rank(), bulk.to, bulk.number)));
    }
    std::ranges::shuffle(in_, order_);
    peer.on_message = [this](int from, std::span<const std::byte> message) { check(from, message); };
  }

  /// Starts everything in random interleaving, with progress now and then.
  void run() {
    const Plan& own = plan(peer_.rank());
    std::size_t messages = 0;
    std::size_t sends = 0;
    std::size_t receives = 0;
    while (messages < own.messages.size() || sends < own.bulks.size() || receives < in_.size()) {
      const std::uint64_t choice = order_() % 64;
      if (choice == 0 && sends < own.bulks.size()) {
        const auto& bulk = own.bulks[sends];
        peer_.send_bulk(bulk.to, bulk.number, out_[sends++]);
      } else if (choice == 1 && receives < in_.size()) {
        Incoming& bulk = in_[receives++];
        peer_.receive_bulk(bulk.from, bulk.number, bulk.bytes);
      } else if (choice < 40 && messages < own.messages.size()) {
        send_message(own.messages[messages++]);
      } else {
        peer_.transport().progress(peer_);
      }
    }
  }

  void verify() {
    for (int from = 0; from < peer_.ranks(); ++from) {
      const auto& sent = plan(from).messages;
      const auto expected = std::ranges::count_if(sent, [&](const auto& m) { return m.to == peer_.rank(); });
      EXPECT_EQ(arrived_[static_cast<std::size_t>(from)], static_cast<std::uint64_t>(expected));
    }
    EXPECT_EQ(bad_, 0);
    for (const Incoming& bulk : in_) {
      EXPECT_TRUE(is_pattern(bulk.bytes, key_of(bulk.from, peer_.rank(), bulk.number))) << "bulk " << bulk.number;
    }
  }

 private:
  struct Incoming {
    int from;
    BulkNumber number;
    Bytes bytes;
  };

  [[nodiscard]] const Plan& plan(int from) const { return plans_[static_cast<std::size_t>(from)]; }

  void send_message(const Plan::Message& message) {
    sent_.resize(plans_.size());
    const std::uint64_t nth = sent_[static_cast<std::size_t>(message.to)]++;
    peer_.send(message.to, pattern(message.size, key_of(peer_.rank(), message.to, nth)));
  }

  void check(int from, std::span<const std::byte> message) {
    const std::uint64_t nth = arrived_[static_cast<std::size_t>(from)]++;
    if (!is_pattern(message, key_of(from, peer_.rank(), nth))) ++bad_;
  }

  Peer& peer_;
  std::mt19937_64 order_;
  std::vector<Plan> plans_;
  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> arrived_;
  std::vector<Incoming> in_;
  std::vector<Bytes> out_;
  int bad_ = 0;
};

TEST_P(TransportContract, CarriesRandomTrafficUnchanged) {
  const std::uint64_t seed = shared_seed();
  on_every_rank(GetParam(), [&](Peer& peer) {
    Traffic traffic(peer, seed);

    traffic.run();
    peer.synchronise();

    traffic.verify();
  });
}

}  // namespace

}  // namespace penstock::transport::testing
