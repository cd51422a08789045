#include <atomic>
#include <chrono>
#include <thread>

#include "transport/harness.hpp"

namespace penstock::transport::testing {

namespace {

using namespace std::chrono_literals;

constexpr auto far_away = 100s;
constexpr auto soon = 50s;

TEST_P(TransportContract, WakeFromAnotherThreadEndsAWait) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const auto begin = std::chrono::steady_clock::now();
    std::atomic<bool> woken = false;
    std::jthread waker([&] {
      woken = true;
      peer.transport().wake();
    });

    while (!woken) peer.transport().wait(far_away);
    waker.join();

    EXPECT_LT(std::chrono::steady_clock::now() - begin, soon);
  });
}

TEST_P(TransportContract, WakeEndsTheNextWaitToo) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const auto begin = std::chrono::steady_clock::now();
    peer.transport().wake();

    peer.transport().wait(far_away);

    EXPECT_LT(std::chrono::steady_clock::now() - begin, soon);
  });
}

TEST_P(TransportContract, WaitReturnsWhenAMessageArrives) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const auto begin = std::chrono::steady_clock::now();
    // A token goes round once; whoever has not had it sleeps.
    if (peer.rank() == 0) peer.send(peer.next(), std::uint8_t{1});
    while (peer.inbox(peer.previous()).empty()) {
      peer.transport().wait(far_away);
      peer.transport().progress(peer);
    }
    if (peer.rank() != 0) peer.send(peer.next(), std::uint8_t{1});

    EXPECT_LT(std::chrono::steady_clock::now() - begin, soon);
  });
}

TEST_P(TransportContract, WaitReturnsWhenABulkEnds) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const auto begin = std::chrono::steady_clock::now();
    const Bytes out = pattern(5'000'000, 1);
    Bytes in(out.size());
    peer.receive_bulk(peer.previous(), 0, in);
    peer.send_bulk(peer.next(), 0, out);

    while (peer.sent(peer.next()).empty() || peer.received(peer.previous()).empty()) {
      peer.transport().wait(far_away);
      peer.transport().progress(peer);
    }

    EXPECT_LT(std::chrono::steady_clock::now() - begin, soon);
  });
}

TEST_P(TransportContract, WaitKeepsItsLimitAndTakesAnyLimit) {
  on_every_rank(GetParam(), [](Peer& peer) {
    const auto begin = std::chrono::steady_clock::now();

    peer.transport().wait(-1s);
    peer.transport().wait(0s);
    peer.transport().wait(5ms);
    peer.transport().wake();
    peer.transport().wait(std::chrono::nanoseconds::max());

    EXPECT_LT(std::chrono::steady_clock::now() - begin, soon);
  });
}

}  // namespace

}  // namespace penstock::transport::testing
