#include "cluster/messages.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cluster/message_samples.hpp"

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

/// Reads an item that has a tag; the whole of the bytes.
template <class Item>
bool read_whole(const Bytes& bytes, Tag tag, Item& item) {
  ByteReader reader(bytes);
  return read_tag(reader) == tag && read(reader, item) && reader.left() == 0 && !reader.bad();
}

TEST(Messages, CarryATask) {
  const TaskCommand sent = a_task();
  TaskCommand got;

  const Bytes bytes = written(sent);

  ASSERT_TRUE(read_whole(bytes, Tag::task, got));
  EXPECT_EQ(got.ticket, sent.ticket);
  EXPECT_EQ(got.task, sent.task);
  EXPECT_EQ(got.attempt, sent.attempt);
  EXPECT_EQ(got.kernel, sent.kernel);
  EXPECT_EQ(got.cores, sent.cores);
  EXPECT_EQ(Bytes(got.parameters.begin(), got.parameters.end()), samples::some_parameters);
  EXPECT_EQ(got.name, "row 3");
  ASSERT_EQ(got.operands.size(), sent.operands.size());
  for (std::size_t i = 0; i < sent.operands.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(got.operands[i].kind, sent.operands[i].kind);
    EXPECT_EQ(got.operands[i].data, sent.operands[i].data);
    EXPECT_EQ(got.operands[i].reads, sent.operands[i].reads);
    EXPECT_EQ(got.operands[i].writes, sent.operands[i].writes);
    EXPECT_EQ(got.operands[i].source, sent.operands[i].source);
    EXPECT_EQ(got.operands[i].type, sent.operands[i].type);
  }
}

TEST(Messages, CarryATaskIntoARecordUsedBefore) {
  TaskCommand got = a_task();
  TaskCommand bare;
  bare.cores = 1;

  const Bytes bytes = written(bare);

  ASSERT_TRUE(read_whole(bytes, Tag::task, got));
  EXPECT_TRUE(got.operands.empty());
  EXPECT_TRUE(got.parameters.empty());
}

TEST(Messages, CarryADrop) {
  Bytes bytes;
  ByteWriter writer(bytes);
  write_drop(writer, core::DataId(12), core::Version(34));
  ByteReader reader(bytes);
  core::DataId data;
  core::Version version;

  EXPECT_EQ(read_tag(reader), Tag::drop);
  EXPECT_TRUE(read_drop(reader, data, version));

  EXPECT_EQ(data, core::DataId(12));
  EXPECT_EQ(version, core::Version(34));
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Messages, CarryAnEnding) {
  const Bytes bytes = written(an_ending());
  ByteReader reader(bytes);
  EndingReport got;

  ASSERT_TRUE(read(reader, got));

  EXPECT_EQ(got.ticket, 9u);
  EXPECT_EQ(got.busy_ns, -1);
  EXPECT_EQ(got.ending.task, core::TaskId(4));
  EXPECT_EQ(got.ending.attempt, core::Attempt(1));
  EXPECT_EQ(got.ending.outcome, core::Outcome::failed);
  EXPECT_EQ(got.ending.device, core::DeviceId(3));
  EXPECT_EQ(got.ending.cause, core::TaskId(2));
  EXPECT_EQ(got.ending.message, "no such file");
  EXPECT_EQ(reader.left(), 0u);
}

TEST(Messages, CarryAFetch) {
  FetchRequest got;

  ASSERT_TRUE(read_whole(written(FetchRequest{core::DataId(1), core::Version(2), 3}), Tag::fetch, got));

  EXPECT_EQ(got.data, core::DataId(1));
  EXPECT_EQ(got.version, core::Version(2));
  EXPECT_EQ(got.bulk_number, 3u);
}

TEST(Messages, CarryAnOrderOfPlugins) {
  PluginOrder got;
  got.files = {{"/left/over.so", "0"}};

  ASSERT_TRUE(read_whole(written(PluginOrder{{{"/a.so", "12ef"}, {"/b c.so", ""}}}), Tag::plugins, got));

  ASSERT_EQ(got.files.size(), 2u);
  EXPECT_EQ(got.files[0].path, "/a.so");
  EXPECT_EQ(got.files[0].sha256, "12ef");
  EXPECT_EQ(got.files[1].path, "/b c.so");
  EXPECT_EQ(got.files[1].sha256, "");
}

TEST(Messages, CarryAHello) {
  const Hello sent = a_hello();
  Hello got;

  ASSERT_TRUE(read_whole(written(sent), Tag::hello, got));

  EXPECT_EQ(got.protocol, protocol_version);
  EXPECT_EQ(got.build, sent.build);
  EXPECT_EQ(got.cores.host, sent.cores.host);
  EXPECT_EQ(got.cores.mask, sent.cores.mask);
  EXPECT_EQ(got.cores.quota, sent.cores.quota);
  EXPECT_EQ(got.cores_reason, sent.cores_reason);
  EXPECT_EQ(got.gpus, sent.gpus);
  ASSERT_EQ(got.visible_gpus.size(), 2u);
  EXPECT_EQ(got.visible_gpus[0].identity, "GPU-a");
  EXPECT_EQ(got.visible_gpus[0].near_cores, (core::CoreSet{0, 1}));
  EXPECT_EQ(got.visible_gpus[0].memory_bytes, std::int64_t{1} << 37);
  EXPECT_EQ(got.visible_gpus[1].identity, "");
  EXPECT_EQ(got.memory_bytes, sent.memory_bytes);
  EXPECT_EQ(got.workers_most, sent.workers_most);
  EXPECT_EQ(got.mpi, sent.mpi);
  EXPECT_EQ(got.plugin_failure, sent.plugin_failure);
  EXPECT_EQ(got.kernels, sent.kernels);
}

TEST(Messages, CarryOnlyTheProtocolOfAnotherVersion) {
  Bytes bytes;
  ByteWriter writer(bytes);
  write_tag(writer, Tag::hello);
  writer.put(protocol_version + 1);
  ByteReader reader(bytes);
  Hello got;

  ASSERT_EQ(read_tag(reader), Tag::hello);
  EXPECT_TRUE(read(reader, got));

  EXPECT_EQ(got.protocol, protocol_version + 1);
}

TEST(Messages, CarryAWelcome) {
  Welcome got;

  ASSERT_TRUE(read_whole(written(a_welcome()), Tag::welcome, got));

  EXPECT_EQ(got.cores, (core::CoreSet{4, 5, 6}));
  EXPECT_EQ(got.gpus, (std::vector<core::OwnGpu>{{0, 1}, {3, 2}}));
  EXPECT_EQ(got.host_rank, 1);
  EXPECT_EQ(got.host_ranks, 2);
  EXPECT_TRUE(got.checked);
}

TEST(Messages, CarryABye) {
  const Bye sent = a_bye();
  Bye got;

  ASSERT_TRUE(read_whole(written(sent), Tag::bye, got));

  EXPECT_EQ(got.host, sent.host);
  EXPECT_EQ(got.cores, sent.cores);
  EXPECT_EQ(got.bytes_sent, sent.bytes_sent);
  EXPECT_EQ(got.bytes_received, sent.bytes_received);
  ASSERT_EQ(got.devices.size(), 2u);
  EXPECT_EQ(got.devices[0].kind, "cpu");
  EXPECT_EQ(got.devices[0].name, "4 cores");
  EXPECT_EQ(got.devices[0].lanes, 4);
  EXPECT_EQ(got.devices[0].tasks, 17u);
  EXPECT_EQ(got.devices[0].busy_ns, 99);
}

TEST(Messages, CarryAnOrderToTrace) {
  TraceOrder got;

  ASSERT_TRUE(read_whole(written(TraceOrder{"/run/trace", 1 << 20}), Tag::trace, got));

  EXPECT_EQ(got.folder, "/run/trace");
  EXPECT_EQ(got.bytes, 1 << 20);
}

TEST(Messages, CarryClocks) {
  Ping question;
  Pong answer;

  ASSERT_TRUE(read_whole(written(Ping{-5}), Tag::ping, question));
  ASSERT_TRUE(read_whole(written(Pong{-5, 1'000'000'000'000}), Tag::pong, answer));

  EXPECT_EQ(question.asked_ns, -5);
  EXPECT_EQ(answer.asked_ns, -5);
  EXPECT_EQ(answer.front_ns, 1'000'000'000'000);
}

}  // namespace
}  // namespace penstock::cluster
