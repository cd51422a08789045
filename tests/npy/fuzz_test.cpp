#include <gtest/gtest.h>

#include <random>
#include <string>

#include <penstock/error.hpp>

#include "npy/header.hpp"

namespace penstock::npy {
namespace {

/// Changes, drops, doubles or inserts some bytes.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  constexpr std::string_view likely = "{}()[]',:<>f4i8 0123456789-LTrue\n";
  for (std::size_t count = 1 + below(6); count > 0 && !bytes.empty(); --count) {
    const std::size_t at = below(bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = likely[below(likely.size())];
        break;
      case 2:
        bytes.erase(at, 1 + below(8));
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, 1 + below(8)));
        break;
      default:
        bytes.insert(at, 1, likely[below(likely.size())]);
        break;
    }
  }
  return bytes;
}

TEST(NpyFuzz, DamagedHeadersAreReadOrRefused) {
  std::mt19937 random(20240117);
  const std::string good = make_header({DType::f64, {123, 4, 56}});
  int accepted = 0;
  int refused = 0;

  for (int round = 0; round < 50'000; ++round) {
    const std::string bytes = mutated(good, random);
    try {
      const Header header = parse_header(std::as_bytes(std::span(bytes)), "x.npy");
      ASSERT_LE(header.data_offset, bytes.size());
      ASSERT_GE(header.type.bytes(), 0);
      ++accepted;
    } catch (const Error& error) {
      const std::string message = error.what();
      ASSERT_EQ(error.code(), ErrorCode::invalid_argument);
      ASSERT_TRUE(message.starts_with("x.npy: ") && message.size() < 300 && message.find('\n') == std::string::npos)
          << message;
      ++refused;
    }
  }

  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace penstock::npy
