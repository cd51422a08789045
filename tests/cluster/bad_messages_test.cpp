#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/message_samples.hpp"
#include "cluster/messages.hpp"
#include "support/random.hpp"

namespace penstock::cluster {
namespace {

using core::ByteReader;
using core::ByteWriter;
using samples::a_bye;
using samples::a_hello;
using samples::a_task;
using samples::a_welcome;
using samples::an_ending;
using samples::Bytes;
using samples::written;

/// Reads one item of any kind as a rank would; false when it is refused.
bool read_any(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Tag tag = read_tag(reader);
  if (reader.bad()) return false;
  core::DataId data;
  core::Version version;
  TaskCommand task;
  EndingReport report;
  FetchRequest request;
  Hello hello;
  Welcome welcome;
  Bye bye;
  TraceOrder trace;
  Ping ping;
  Pong pong;
  PluginOrder plugins;
  switch (tag) {
    case Tag::hello:
      return read(reader, hello);
    case Tag::welcome:
      return read(reader, welcome);
    case Tag::task:
      return read(reader, task);
    case Tag::drop:
      return read_drop(reader, data, version);
    case Tag::dismiss:
    case Tag::finish:
    case Tag::cancel:
      return true;
    case Tag::fetch:
      return read(reader, request);
    case Tag::bye:
      return read(reader, bye);
    case Tag::trace:
      return read(reader, trace);
    case Tag::ping:
      return read(reader, ping);
    case Tag::pong:
      return read(reader, pong);
    case Tag::plugins:
      return read(reader, plugins);
    case Tag::endings:
      break;
  }
  for (auto left = reader.get<std::uint32_t>(); left > 0; --left) {
    if (!read(reader, report)) return false;
  }
  return !reader.bad();
}

std::vector<Bytes> one_of_each() {
  Bytes drop;
  ByteWriter drop_writer(drop);
  write_drop(drop_writer, core::DataId(1), core::Version(2));
  Bytes finish;
  ByteWriter finish_writer(finish);
  write_tag(finish_writer, Tag::finish);
  Bytes endings;
  ByteWriter endings_writer(endings);
  write_tag(endings_writer, Tag::endings);
  endings_writer.put(std::uint32_t{2});
  write(endings_writer, an_ending());
  write(endings_writer, an_ending());
  return {written(a_task()),
          written(a_hello()),
          written(a_welcome()),
          written(a_bye()),
          written(FetchRequest{}),
          written(TraceOrder{"/run/trace", 1 << 20}),
          written(PluginOrder{{{"/a/b.so", "00ff"}}}),
          written(Ping{1}),
          written(Pong{1, 2}),
          drop,
          finish,
          endings};
}

TEST(Messages, AreRefusedWhenCutOffAnywhere) {
  for (const Bytes& whole : one_of_each()) {
    ASSERT_TRUE(read_any(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      // A copy of exactly that length, so that a sanitizer sees a read beyond it.
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));

      EXPECT_FALSE(read_any(cut)) << "tag " << static_cast<int>(whole[0]) << ", " << length << " bytes";
    }
  }
}

/// A task's bytes with one of them changed.
bool accepts_task_with(std::size_t offset, std::uint8_t value) {
  Bytes bytes = written(a_task());
  bytes[offset] = static_cast<std::byte>(value);
  return read_any(bytes);
}

TEST(Messages, RefuseNumbersThatNameNothing) {
  constexpr std::size_t cores = 1 + 22;
  constexpr std::size_t operands = 1 + 24;
  constexpr std::size_t first_operand = 1 + 32;
  constexpr std::size_t kind = first_operand + 24;
  constexpr std::size_t dtype = first_operand + 25;
  constexpr std::size_t dimensions = first_operand + 26;
  ASSERT_TRUE(accepts_task_with(kind, 1));

  EXPECT_FALSE(accepts_task_with(cores, 0));
  EXPECT_FALSE(accepts_task_with(operands + 1, 1));  // 260 of them
  EXPECT_FALSE(accepts_task_with(operands + 7, 255));
  EXPECT_FALSE(accepts_task_with(kind, 4));
  EXPECT_FALSE(accepts_task_with(dtype, 4));
  EXPECT_FALSE(accepts_task_with(dimensions, 9));
}

TEST(Messages, RefuseAShapeThatIsNone) {
  TaskCommand command = a_task();
  command.operands.resize(1);
  command.operands[0].type.shape = Shape{5};
  Bytes bytes = written(command);
  ASSERT_TRUE(read_any(bytes));

  bytes[1 + 32 + 32 + 7] = std::byte{0xff};

  EXPECT_FALSE(read_any(bytes));
}

TEST(Messages, RefuseAnOutcomeThatIsNone) {
  Bytes bytes = written(an_ending());
  constexpr std::size_t outcome = 38;
  bytes[outcome] = std::byte{6};
  ByteReader reader(bytes);
  EndingReport got;

  EXPECT_FALSE(read(reader, got));
}

TEST(Messages, RefuseAGpuThatIsNone) {
  Welcome welcome = a_welcome();
  welcome.gpus = {{.index = -1, .sharers = 1}};
  EXPECT_FALSE(read_any(written(welcome)));
  welcome.gpus = {{.index = 0, .sharers = 0}};
  EXPECT_FALSE(read_any(written(welcome)));
}

TEST(Messages, RefuseTagsThatAreNone) {
  for (int tag = 0; tag < 256; ++tag) {
    const Bytes bytes{static_cast<std::byte>(tag)};
    ByteReader reader(bytes);

    static_cast<void>(read_tag(reader));

    EXPECT_EQ(reader.bad(), tag < static_cast<int>(Tag::hello) || tag > static_cast<int>(Tag::plugins)) << tag;
  }
}

TEST(Messages, RefuseListsLongerThanAnyThatIsSent) {
  Bytes bytes;
  ByteWriter writer(bytes);
  write_tag(writer, Tag::welcome);
  writer.put(std::uint32_t{0xffff'ffff});
  writer.put_bytes(Bytes(64));

  EXPECT_FALSE(read_any(bytes));
}

TEST(Messages, MayBeAnyBytes) {
  support::Random random(20'240'601);
  const std::vector<Bytes> whole = one_of_each();
  int accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    Bytes bytes;
    if (i % 2 == 0) {  // anything behind a good tag
      bytes.resize(random.between(1, 96));
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(random.chance(50) ? 4 : 256));
      bytes[0] = static_cast<std::byte>(random.between(0, 11));
    } else {  // a good message with a few bytes changed
      bytes = whole[random.below(whole.size())];
      for (std::uint64_t left = random.between(1, 3); left > 0; --left) {
        bytes[random.below(bytes.size())] = static_cast<std::byte>(random.below(256));
      }
    }
    bytes.shrink_to_fit();

    accepted += static_cast<int>(read_any(bytes));
  }

  EXPECT_GT(accepted, 1000);
  EXPECT_LT(accepted, 150'000);
}

}  // namespace
}  // namespace penstock::cluster
