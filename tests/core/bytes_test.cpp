#include "core/bytes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace penstock::core {
namespace {

TEST(Bytes, GiveBackWhatWasPut) {
  std::vector<std::byte> bytes;
  bytes.reserve(64);  // g++ 12 otherwise warns of how the vector grows
  ByteWriter writer(bytes);
  writer.put(std::uint8_t{7});
  writer.put(std::int64_t{-3});
  writer.put_text("penstock");
  writer.put(0.5);

  ByteReader reader(bytes);

  EXPECT_EQ(reader.get<std::uint8_t>(), 7);
  EXPECT_EQ(reader.get<std::int64_t>(), -3);
  EXPECT_EQ(reader.get_text(), "penstock");
  EXPECT_EQ(reader.get<double>(), 0.5);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_FALSE(reader.bad());
}

TEST(Bytes, AreAppendedAndPatched) {
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  writer.put_text("before");
  const std::size_t at = writer.size();
  writer.put(std::uint32_t{0});
  writer.put(std::uint8_t{9});

  writer.patch(at, std::uint32_t{42});

  ByteReader reader(bytes);
  EXPECT_EQ(reader.get_text(), "before");
  EXPECT_EQ(reader.get<std::uint32_t>(), 42u);
  EXPECT_EQ(reader.get<std::uint8_t>(), 9);
}

TEST(ByteReader, TurnsBadAtAShortReadAndStaysSo) {
  const std::vector<std::byte> bytes(7, std::byte{0xff});
  ByteReader reader(bytes);

  EXPECT_EQ(reader.get<std::uint64_t>(), 0u);
  EXPECT_TRUE(reader.bad());
  EXPECT_EQ(reader.get<std::uint8_t>(), 0);
  EXPECT_TRUE(reader.get_bytes(1).empty());
  EXPECT_TRUE(reader.bad());
}

TEST(ByteReader, RefusesATextLongerThanTheRest) {
  std::vector<std::byte> bytes;
  ByteWriter(bytes).put_text("twelve chars");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ByteReader reader(std::span<const std::byte>(bytes).first(length));

    EXPECT_TRUE(reader.get_text().empty());
    EXPECT_TRUE(reader.bad()) << length;
  }
}

TEST(ByteReader, RefusesLengthsThatWouldOverflow) {
  const std::vector<std::byte> bytes(16, std::byte{0xff});
  ByteReader text(bytes);
  ByteReader huge(bytes);

  EXPECT_TRUE(text.get_text().empty());
  EXPECT_TRUE(huge.get_bytes(~std::size_t{0}).empty());
  EXPECT_TRUE(text.bad());
  EXPECT_TRUE(huge.bad());
}

TEST(ByteReader, ReadsNothingFromNothingWithoutTurningBad) {
  ByteReader reader({});

  EXPECT_TRUE(reader.get_bytes(0).empty());
  EXPECT_FALSE(reader.bad());
  EXPECT_EQ(reader.get<std::uint8_t>(), 0);
  EXPECT_TRUE(reader.bad());
}

TEST(ByteReader, CanBeFailedByItsCaller) {
  const std::vector<std::byte> bytes(4, std::byte{1});
  ByteReader reader(bytes);

  reader.fail();

  EXPECT_EQ(reader.get<std::uint8_t>(), 0);
}

}  // namespace
}  // namespace penstock::core
