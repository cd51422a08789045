#include "core/parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace penstock::core {
namespace {

const std::vector<Parameter> all_kinds{
    true,
    false,
    std::numeric_limits<std::int64_t>::min(),
    std::int64_t{0},
    -0.0,
    std::numeric_limits<double>::infinity(),
    std::string(),
    std::string("a\0b", 3),
    std::string(100'000, 'x'),
};

std::vector<std::byte> encode(const std::vector<Parameter>& parameters) {
  std::vector<std::byte> bytes;
  encode_parameters(parameters, bytes);
  return bytes;
}

TEST(Parameters, ComeBackAsTheyWere) {
  std::vector<Parameter> decoded{std::string("old"), 1.0};

  ASSERT_TRUE(decode_parameters(encode(all_kinds), decoded));

  ASSERT_EQ(decoded, all_kinds);
  EXPECT_TRUE(std::signbit(std::get<double>(decoded[4])));
}

TEST(Parameters, OfNoneAreNoBytes) {
  std::vector<Parameter> decoded{true};

  EXPECT_TRUE(encode({}).empty());
  EXPECT_TRUE(decode_parameters({}, decoded));
  EXPECT_TRUE(decoded.empty());
}

TEST(Parameters, AreAppended) {
  std::vector<std::byte> bytes{std::byte{0xee}};

  encode_parameters(std::vector<Parameter>{std::int64_t{5}}, bytes);

  EXPECT_EQ(bytes.front(), std::byte{0xee});
  EXPECT_EQ(bytes.size(), 10u);
}

TEST(Parameters, CutOffAnywhereAreShorterOrRefused) {
  const std::vector<Parameter> some{true, std::int64_t{1}, 2.0, std::string("three")};
  const std::vector<std::byte> bytes = encode(some);
  std::vector<Parameter> decoded;

  for (std::size_t length = 0; length < bytes.size(); ++length) {
    if (!decode_parameters(std::span(bytes).first(length), decoded)) continue;
    ASSERT_LT(decoded.size(), some.size());
    EXPECT_TRUE(std::equal(decoded.begin(), decoded.end(), some.begin())) << length;
  }
}

TEST(Parameters, RefuseAnUnknownType) {
  std::vector<Parameter> decoded;

  for (int type = 4; type < 256; ++type) {
    EXPECT_FALSE(decode_parameters(std::vector<std::byte>(20, static_cast<std::byte>(type)), decoded)) << type;
  }
}

}  // namespace
}  // namespace penstock::core
