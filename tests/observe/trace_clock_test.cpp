#include "observe/trace_clock.hpp"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace penstock::observe {
namespace {

using core::ClockEvent;

constexpr std::int64_t second = 1'000'000'000;

/// A clock that is off and runs at another rate, compared over a network with jitter.
struct Synthetic {
  std::int64_t offset_ns = 0;
  double drift = 0.0;
  std::int64_t fastest_ns = 20'000;
  std::int64_t jitter_ns = 500'000;

  [[nodiscard]] std::int64_t truth(std::int64_t at_ns) const {
    return at_ns + offset_ns + static_cast<std::int64_t>(drift * static_cast<double>(at_ns));
  }
  [[nodiscard]] std::vector<ClockEvent> samples(int count, std::int64_t every_ns) const {
    std::mt19937_64 random(17);
    std::vector<ClockEvent> samples;
    for (int i = 0; i < count; ++i) {
      const std::int64_t at_ns = every_ns * i + 5 * second;
      const auto there_ns =
          fastest_ns / 2 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(jitter_ns));
      const auto back_ns = fastest_ns / 2 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(jitter_ns));
      // The asker takes the middle of the round trip for the moment of the answer.
      const std::int64_t error_ns = (there_ns - back_ns) / 2;
      samples.push_back(
          {.at_ns = at_ns, .offset_ns = truth(at_ns) - at_ns + error_ns, .round_trip_ns = there_ns + back_ns});
    }
    return samples;
  }
};

std::int64_t worst_error(const ClockMap& map, const Synthetic& clock, std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t worst = 0;
  for (std::int64_t at = from_ns; at <= to_ns; at += second / 10)
    worst = std::max(worst, std::abs(map(at) - clock.truth(at)));
  return worst;
}

TEST(ClockMap, OfTheSameClockChangesNothing) {
  EXPECT_EQ(ClockMap()(12345), 12345);
  EXPECT_EQ(ClockMap()(0), 0);
}

TEST(ClockMap, OfAConstantOffsetAddsIt) { EXPECT_EQ(ClockMap(-7 * second)(10 * second), 3 * second); }

TEST(ClockMap, NeedsOneSample) {
  EXPECT_FALSE(ClockMap::fitted({}).has_value());

  const std::vector<ClockEvent> one{{.at_ns = second, .offset_ns = 42, .round_trip_ns = 1000}};
  const auto map = ClockMap::fitted(one);

  ASSERT_TRUE(map);
  EXPECT_EQ((*map)(0), 42);
  EXPECT_EQ((*map)(100 * second), 100 * second + 42);
}

TEST(ClockMap, OfFewSamplesIsTheOneWithTheShortestRoundTrip) {
  const std::vector<ClockEvent> samples{{.at_ns = 1 * second, .offset_ns = 900, .round_trip_ns = 5000},
                                        {.at_ns = 2 * second, .offset_ns = 500, .round_trip_ns = 100},
                                        {.at_ns = 3 * second, .offset_ns = 100, .round_trip_ns = 4000}};

  const auto map = ClockMap::fitted(samples);

  ASSERT_TRUE(map);
  EXPECT_EQ((*map)(0), 500);
  EXPECT_EQ((*map)(9 * second), 9 * second + 500);
}

TEST(ClockMap, FollowsDriftThroughJitter) {
  for (const double drift : {50e-6, -50e-6}) {
    const Synthetic clock{.offset_ns = 3'600 * second, .drift = drift};

    const auto map = ClockMap::fitted(clock.samples(2000, second / 10));

    ASSERT_TRUE(map);
    // A constant offset would be off by 5 ms; the jitter alone by up to half of a millisecond.
    EXPECT_LT(worst_error(*map, clock, 5 * second, 205 * second), 150'000);
    EXPECT_LT(worst_error(*map, clock, 0, 5 * second), 300'000) << "before the first sample";
    EXPECT_LT(worst_error(*map, clock, 205 * second, 215 * second), 300'000) << "after the last";
  }
}

TEST(ClockMap, SamplesMayComeInAnyOrder) {
  const Synthetic clock{.offset_ns = -5 * second, .drift = 10e-6};
  auto samples = clock.samples(200, second / 10);
  const auto sorted = ClockMap::fitted(samples);
  std::ranges::reverse(samples);

  const auto reversed = ClockMap::fitted(samples);

  ASSERT_TRUE(sorted && reversed);
  for (std::int64_t at = 0; at < 40 * second; at += second) EXPECT_EQ((*sorted)(at), (*reversed)(at));
}

TEST(ClockMap, NeverTurnsBack) {
  // Samples so close together and so bad that the line through them would.
  Synthetic clock{.offset_ns = second, .drift = 0.0};
  clock.jitter_ns = 50'000'000;
  const auto map = ClockMap::fitted(clock.samples(640, 1000));

  ASSERT_TRUE(map);
  std::int64_t before = (*map)(4 * second);
  for (std::int64_t at = 4 * second; at < 6 * second; at += 99'991) {
    EXPECT_GE((*map)(at), before);
    before = (*map)(at);
  }
  for (std::int64_t at = 5 * second; at < 5 * second + 700'000; ++at) ASSERT_LE((*map)(at), (*map)(at + 1));
}

TEST(ClockMap, IgnoresSamplesThatMakeNoSense) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::vector<ClockEvent> samples{{.at_ns = least, .offset_ns = 1, .round_trip_ns = 1},
                                  {.at_ns = 5, .offset_ns = most, .round_trip_ns = 1},
                                  {.at_ns = 5, .offset_ns = least, .round_trip_ns = 1},
                                  {.at_ns = most, .offset_ns = 1, .round_trip_ns = 1},
                                  {.at_ns = 5, .offset_ns = 1, .round_trip_ns = -1}};
  EXPECT_FALSE(ClockMap::fitted(samples).has_value());

  samples.push_back({.at_ns = second, .offset_ns = 77, .round_trip_ns = 1000});
  const auto map = ClockMap::fitted(samples);

  ASSERT_TRUE(map);
  EXPECT_EQ((*map)(0), 77);
}

}  // namespace
}  // namespace penstock::observe
