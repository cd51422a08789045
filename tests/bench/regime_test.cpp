#include "bench/regime.hpp"

#include <gtest/gtest.h>

namespace penstock::bench {
namespace {

TEST(RegimeProbe, FindsTimesThatCanBe) {
  const Probe probe = probe_cores();

  const bool single_core = probe.round_trip_ns == 0.0;
  EXPECT_TRUE(single_core || probe.round_trip_ns > 10.0);  // light itself needs a few nanoseconds
  EXPECT_GT(probe.speed_up, 0.01);
}

TEST(RegimeProbe, IsNeverMixed) { EXPECT_NE(probe_regime(), Regime::mixed); }

}  // namespace
}  // namespace penstock::bench
