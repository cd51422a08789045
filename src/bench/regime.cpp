#include "bench/regime.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <thread>

#include "device/cpu/affinity.hpp"

namespace penstock::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int chunks = 40;
constexpr std::uint64_t trips_a_chunk = 500;
constexpr std::chrono::milliseconds trips_limit{12};
constexpr int busy_rounds = 400'000;  // about a millisecond
constexpr int repeats = 4;

double ns_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

struct alignas(64) Ball {
  std::atomic<std::uint64_t> at{0};  // odd: with the second thread. The first one alone stops it
  static constexpr std::uint64_t stop = std::numeric_limits<std::uint64_t>::max();

  /// What the ball became when it is no longer `before`. Gives the core up now and then, for threads that share one.
  std::uint64_t wait_while(std::uint64_t before) const {
    while (true) {
      for (int spin = 0; spin < 10'000; ++spin) {
        const std::uint64_t now = at.load(std::memory_order_acquire);
        if (now != before) return now;
      }
      std::this_thread::yield();
    }
  }
};

/// Runs both on threads of their own, the first on `cores[0]`, the second on `cores[1]`.
template <class First, class Second>
void on_two_cores(const core::CoreSet& cores, First first, Second second) {
  std::thread other([&] {
    device::set_affinity({cores[1]});
    second();
  });
  std::thread one([&] {
    device::set_affinity({cores[0]});
    first();
  });
  one.join();
  other.join();
}

/// The least mean of a chunk of round trips: a chunk in which a thread was interrupted does not count.
double round_trip_ns(const core::CoreSet& cores) {
  Ball ball;
  double least = std::numeric_limits<double>::max();
  const auto serve = [&] {
    const auto end = Clock::now() + trips_limit;
    std::uint64_t at = 0;
    for (int chunk = 0; chunk < chunks && (chunk == 0 || Clock::now() < end); ++chunk) {
      const auto begin = Clock::now();
      for (std::uint64_t trip = 0; trip < trips_a_chunk; ++trip, at += 2) {
        ball.at.store(at + 1, std::memory_order_release);
        ball.wait_while(at + 1);
      }
      least = std::min(least, ns_since(begin) / static_cast<double>(trips_a_chunk));
    }
    ball.at.store(Ball::stop, std::memory_order_release);
  };
  const auto give_back = [&] {
    for (std::uint64_t at = 0; ball.wait_while(at) != Ball::stop; at += 2) {
      ball.at.store(at + 2, std::memory_order_release);
    }
  };
  on_two_cores(cores, serve, give_back);
  return least;
}

std::atomic<std::uint64_t> sink{0};  // keeps the compiler from leaving the work out; orders nothing

/// Fills a core's multipliers, which halves of one core share.
double busy_ns() {
  std::uint64_t chains[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto begin = Clock::now();
  for (int round = 0; round < busy_rounds; ++round) {
    for (std::uint64_t& chain : chains) chain = chain * 0x9E3779B97F4A7C15U + 1U;
  }
  const double ns = ns_since(begin);
  for (const std::uint64_t chain : chains) sink.fetch_xor(chain, std::memory_order_relaxed);
  return ns;
}

double speed_up(const core::CoreSet& cores) {
  double alone = std::numeric_limits<double>::max();
  double together = alone;
  on_two_cores(
      cores,
      [&] {
        for (int i = 0; i < repeats; ++i) alone = std::min(alone, busy_ns());
      },
      [] {});
  for (int i = 0; i < repeats; ++i) {
    std::atomic<int> ready{0};  // a barrier for two
    double ns[2] = {};
    const auto busy = [&](std::size_t side) {
      ready.fetch_add(1, std::memory_order_acq_rel);
      while (ready.load(std::memory_order_acquire) < 2) std::this_thread::yield();
      ns[side] = busy_ns();
    };
    on_two_cores(
        cores, [&] { busy(0); }, [&] { busy(1); });
    together = std::min(together, std::max(ns[0], ns[1]));
  }
  return 2.0 * alone / together;
}

}  // namespace

Probe probe_cores() {
  const core::CoreSet cores = device::read_affinity();
  if (cores.size() < 2) return {};
  return {.round_trip_ns = round_trip_ns(cores), .speed_up = speed_up(cores)};
}

Regime probe_regime() {
  const Probe probe = probe_cores();
  return classify(probe.round_trip_ns, probe.speed_up);
}

}  // namespace penstock::bench
