#include "observe/units.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace penstock::observe {
namespace {

TEST(Units, BytesHaveOneDecimalAboveKiB) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{4} << 30), "4.0 GiB");
  EXPECT_EQ(bytes_text(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Units, BytesNeverRoundUpTo1024OfAUnit) {
  EXPECT_EQ(bytes_text((std::uint64_t{1} << 20) - 1), "1.0 MiB");
  EXPECT_EQ(bytes_text((std::uint64_t{1} << 20) - 52'000), "973.2 KiB");
}

TEST(Units, DurationsChooseTheirUnit) {
  EXPECT_EQ(duration_text(0.0), "0 us");
  EXPECT_EQ(duration_text(850e-6), "850 us");
  EXPECT_EQ(duration_text(0.042), "42.0 ms");
  EXPECT_EQ(duration_text(0.9999), "1.0 s");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(200.0), "3 min 20 s");
  EXPECT_EQ(duration_text(7500.0), "2 h 05 min");
  EXPECT_EQ(duration_text(4 * 86'400.0 + 3 * 3600.0), "4 d 03 h");
}

TEST(Units, DurationsRoundedToTheNextUnitNeverShow60) {
  EXPECT_EQ(duration_text(119.7), "2 min 00 s");
  EXPECT_EQ(duration_text(3599.6), "1 h 00 min");
}

TEST(Units, UnknownDurationsAndRatesAreADash) {
  EXPECT_EQ(duration_text(-1.0), "-");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(rate_text(std::numeric_limits<double>::infinity()), "-");
}

TEST(Units, RatesChooseTheirUnit) {
  EXPECT_EQ(rate_text(0.424), "0.42/s");
  EXPECT_EQ(rate_text(812.3), "812/s");
  EXPECT_EQ(rate_text(1234.0), "1.2 k/s");
  EXPECT_EQ(rate_text(3.44e6), "3.4 M/s");
}

TEST(Units, TimesAreIsoInUtc) {
  using std::chrono::seconds;

  EXPECT_EQ(utc_text(std::chrono::system_clock::time_point(seconds(0))), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(std::chrono::system_clock::time_point(seconds(1'769'846'709))), "2026-01-31T08:05:09Z");
}

struct SizeCase {
  const char* text;
  std::int64_t bytes;
};
class ParseBytes : public testing::TestWithParam<SizeCase> {};

TEST_P(ParseBytes, Reads) { EXPECT_EQ(parse_bytes(GetParam().text), GetParam().bytes) << GetParam().text; }

INSTANTIATE_TEST_SUITE_P(Units, ParseBytes,
                         testing::Values(SizeCase{"4096", 4096}, SizeCase{"0", 0}, SizeCase{"4GiB", 4'294'967'296},
                                         SizeCase{"512MiB", 536'870'912}, SizeCase{"1e9", 1'000'000'000},
                                         SizeCase{"1.5 MB", 1'500'000}, SizeCase{" 2 kb ", 2000},
                                         SizeCase{"1tib", 1'099'511'627'776}, SizeCase{"7 B", 7},
                                         SizeCase{"9223372036854775807", 9'223'372'036'854'775'807},
                                         SizeCase{"9007199254740993", 9'007'199'254'740'993}));

class ParseBytesRefuses : public testing::TestWithParam<const char*> {};

TEST_P(ParseBytesRefuses, Text) { EXPECT_EQ(parse_bytes(GetParam()), std::nullopt) << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Units, ParseBytesRefuses,
                         testing::Values("", "GiB", "-1", "-0", "4G", "1 XiB", "4GiB x", "nan", "inf", "1e30", "0x10",
                                         "9223372036854775808", "8388608TiB", "9223372036854775807KiB", "1,5MB"));

}  // namespace
}  // namespace penstock::observe
