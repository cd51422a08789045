#include "observe/trace_text.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace penstock::observe {
namespace {

TEST(TraceText, WritesNumbersAndMicroseconds) {
  std::string all;
  TraceText text([&all](std::string_view part) { all += part; });

  text.add("a", 7, ",", std::uint64_t{18'446'744'073'709'551'615U}, ",", std::int64_t{-5}, ",", std::uint8_t{255}, ",",
           Micros{0}, ",", Micros{1}, ",", Micros{1'234'567}, ",", Micros{-12}, ",",
           Micros{std::numeric_limits<std::int64_t>::min()});
  text.flush();

  EXPECT_EQ(all, "a7,18446744073709551615,-5,255,0.000,0.001,1234.567,-0.012,-9223372036854775.808");
}

TEST(TraceText, HandsOnInLargePieces) {
  std::vector<std::size_t> pieces;
  TraceText text([&pieces](std::string_view part) { pieces.push_back(part.size()); });

  for (int i = 0; i < 30'000; ++i) {
    text.add(std::string(100, 'x'));
    text.hand_on_much();
  }
  text.flush();

  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_GE(pieces[0], std::size_t{1} << 20);
  EXPECT_EQ(pieces[0] + pieces[1] + pieces[2], 3'000'000U);
}

TEST(JsonQuoted, EscapesAndMends) {
  EXPECT_EQ(json_quoted("plain"), "\"plain\"");
  EXPECT_EQ(json_quoted("\"\\\n\x01"), R"("\"\\\n\u0001")");
  EXPECT_EQ(json_quoted("\xff"), "\"\ufffd\"");
}

}  // namespace
}  // namespace penstock::observe
