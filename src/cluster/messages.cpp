#include "cluster/messages.hpp"

#include <penstock/error.hpp>

#include "core/assert.hpp"

namespace penstock::cluster {

using core::ByteReader;
using core::ByteWriter;

namespace {

constexpr std::size_t most_operands = 255;
constexpr std::size_t most_list_entries = 65'536;

// Fixed parts of the frequent items, as they lie on the wire. No padding: the sizes are asserted.
struct TaskHead {
  std::uint64_t task;
  std::uint32_t ticket;
  std::uint32_t attempt;
  std::uint32_t parameter_bytes;
  std::uint16_t kernel;
  std::uint16_t cores;
  std::uint32_t operands;
  std::uint32_t name_bytes;
};
static_assert(sizeof(TaskHead) == 32);

struct OperandHead {
  std::uint64_t reads;
  std::uint64_t writes;
  std::uint32_t data;
  std::int32_t source;
  std::uint8_t kind;
  std::uint8_t dtype;
  std::uint8_t dimensions;
  std::uint8_t unused[5];
};
static_assert(sizeof(OperandHead) == 32);

struct EndingHead {
  std::uint64_t task;
  std::uint64_t cause;
  std::int64_t busy_ns;
  std::uint32_t ticket;
  std::uint32_t attempt;
  std::uint32_t message_bytes;
  std::uint16_t device;
  std::uint8_t outcome;
  std::uint8_t unused;
};
static_assert(sizeof(EndingHead) == 40);

bool read_operand(ByteReader& reader, Operand& operand) {
  const auto head = reader.get<OperandHead>();
  if (reader.bad() || head.kind > 3 || head.dtype >= dtype_count || head.dimensions > Shape::max_dimensions)
    return false;
  std::array<std::int64_t, Shape::max_dimensions> extents{};
  for (std::size_t i = 0; i < head.dimensions; ++i) extents[i] = reader.get<std::int64_t>();
  if (reader.bad()) return false;
  operand.kind = static_cast<OperandKind>(head.kind);
  operand.data = core::DataId(head.data);
  operand.reads = core::Version(head.reads);
  operand.writes = core::Version(head.writes);
  operand.source = core::RankId(head.source);
  try {
    operand.type = {static_cast<DType>(head.dtype), Shape(std::span(extents.data(), head.dimensions))};
  } catch (const Error&) {
    return false;
  }
  return true;
}

void write_cores(ByteWriter& writer, const core::CoreSet& cores) {
  writer.put(static_cast<std::uint32_t>(cores.size()));
  writer.put_bytes(std::as_bytes(std::span(cores)));
}

bool read_cores(ByteReader& reader, core::CoreSet& cores) {
  const auto count = reader.get<std::uint32_t>();
  if (reader.bad() || count > most_list_entries) return false;
  cores.clear();
  for (std::uint32_t i = 0; i < count && !reader.bad(); ++i) cores.push_back(reader.get<int>());
  return !reader.bad();
}

void write_gpus(ByteWriter& writer, const std::vector<core::VisibleGpu>& gpus) {
  writer.put(static_cast<std::uint32_t>(gpus.size()));
  for (const core::VisibleGpu& gpu : gpus) {
    writer.put_text(gpu.identity);
    write_cores(writer, gpu.near_cores);
    writer.put(gpu.memory_bytes);
  }
}

bool read_gpus(ByteReader& reader, std::vector<core::VisibleGpu>& gpus) {
  const auto count = reader.get<std::uint32_t>();
  if (reader.bad() || count > most_list_entries) return false;
  gpus.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    core::VisibleGpu gpu;
    gpu.identity = reader.get_text();
    if (!read_cores(reader, gpu.near_cores)) return false;
    gpu.memory_bytes = reader.get<std::int64_t>();
    gpus.push_back(std::move(gpu));
  }
  return !reader.bad();
}

void write_gpus(ByteWriter& writer, const std::vector<core::OwnGpu>& gpus) {
  writer.put(static_cast<std::uint32_t>(gpus.size()));
  for (const core::OwnGpu& gpu : gpus) {
    writer.put(static_cast<std::int32_t>(gpu.index));
    writer.put(static_cast<std::int32_t>(gpu.sharers));
  }
}

bool read_gpus(ByteReader& reader, std::vector<core::OwnGpu>& gpus) {
  const auto count = reader.get<std::uint32_t>();
  if (reader.bad() || count > most_list_entries) return false;
  gpus.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    core::OwnGpu gpu;
    gpu.index = reader.get<std::int32_t>();
    gpu.sharers = reader.get<std::int32_t>();
    if (reader.bad() || gpu.index < 0 || gpu.sharers < 1) return false;
    gpus.push_back(gpu);
  }
  return true;
}

void write_texts(ByteWriter& writer, const std::vector<std::string>& texts) {
  writer.put(static_cast<std::uint32_t>(texts.size()));
  for (const std::string& text : texts) writer.put_text(text);
}

bool read_texts(ByteReader& reader, std::vector<std::string>& texts) {
  const auto count = reader.get<std::uint32_t>();
  if (reader.bad() || count > most_list_entries) return false;
  texts.clear();
  for (std::uint32_t i = 0; i < count && !reader.bad(); ++i) texts.emplace_back(reader.get_text());
  return !reader.bad();
}

}  // namespace

void write_tag(ByteWriter& writer, Tag tag) { writer.put(static_cast<std::uint8_t>(tag)); }

Tag read_tag(ByteReader& reader) {
  const auto number = reader.get<std::uint8_t>();
  if (number < static_cast<std::uint8_t>(Tag::hello) || number > static_cast<std::uint8_t>(Tag::plugins)) reader.fail();
  return static_cast<Tag>(number);
}

void write(ByteWriter& writer, const TaskCommand& command) {
  PENSTOCK_ASSERT(command.operands.size() <= most_operands);
  write_tag(writer, Tag::task);
  writer.put(TaskHead{.task = command.task.value(),
                      .ticket = command.ticket,
                      .attempt = command.attempt.value(),
                      .parameter_bytes = static_cast<std::uint32_t>(command.parameters.size()),
                      .kernel = command.kernel.value(),
                      .cores = command.cores,
                      .operands = static_cast<std::uint32_t>(command.operands.size()),
                      .name_bytes = static_cast<std::uint32_t>(command.name.size())});
  for (const Operand& operand : command.operands) {
    const auto extents = operand.type.shape.extents();
    writer.put(OperandHead{.reads = operand.reads.value(),
                           .writes = operand.writes.value(),
                           .data = operand.data.value(),
                           .source = operand.source.value(),
                           .kind = static_cast<std::uint8_t>(operand.kind),
                           .dtype = static_cast<std::uint8_t>(operand.type.dtype),
                           .dimensions = static_cast<std::uint8_t>(extents.size()),
                           .unused = {}});
    writer.put_bytes(std::as_bytes(extents));
  }
  writer.put_bytes(command.parameters);
  writer.put_bytes(std::as_bytes(std::span(command.name)));
}

bool read(ByteReader& reader, TaskCommand& command) {
  const auto head = reader.get<TaskHead>();
  if (reader.bad() || head.operands > most_operands || head.cores == 0) return false;
  command.task = core::TaskId(head.task);
  command.ticket = head.ticket;
  command.attempt = core::Attempt(head.attempt);
  command.kernel = core::KernelId(head.kernel);
  command.cores = head.cores;
  command.operands.resize(head.operands);
  for (Operand& operand : command.operands) {
    if (!read_operand(reader, operand)) return false;
  }
  command.parameters = reader.get_bytes(head.parameter_bytes);
  const auto name = reader.get_bytes(head.name_bytes);
  command.name = {reinterpret_cast<const char*>(name.data()), name.size()};
  return !reader.bad();
}

void write_drop(ByteWriter& writer, core::DataId data, core::Version version) {
  write_tag(writer, Tag::drop);
  writer.put(data.value());
  writer.put(version.value());
}

bool read_drop(ByteReader& reader, core::DataId& data, core::Version& version) {
  data = core::DataId(reader.get<core::DataId::Value>());
  version = core::Version(reader.get<core::Version::Value>());
  return !reader.bad();
}

void write(ByteWriter& writer, const EndingReport& report) {
  const core::Ending& ending = report.ending;
  writer.put(EndingHead{.task = ending.task.value(),
                        .cause = ending.cause.value(),
                        .busy_ns = report.busy_ns,
                        .ticket = report.ticket,
                        .attempt = ending.attempt.value(),
                        .message_bytes = static_cast<std::uint32_t>(ending.message.size()),
                        .device = ending.device.value(),
                        .outcome = static_cast<std::uint8_t>(ending.outcome),
                        .unused = 0});
  writer.put_bytes(std::as_bytes(std::span(ending.message)));
}

bool read(ByteReader& reader, EndingReport& report) {
  const auto head = reader.get<EndingHead>();
  if (reader.bad() || head.outcome > static_cast<std::uint8_t>(core::Outcome::skipped)) return false;
  report.ticket = head.ticket;
  report.busy_ns = head.busy_ns;
  report.ending.task = core::TaskId(head.task);
  report.ending.cause = core::TaskId(head.cause);
  report.ending.attempt = core::Attempt(head.attempt);
  report.ending.device = core::DeviceId(head.device);
  report.ending.outcome = static_cast<core::Outcome>(head.outcome);
  const auto message = reader.get_bytes(head.message_bytes);
  report.ending.message.assign(reinterpret_cast<const char*>(message.data()), message.size());
  return !reader.bad();
}

void write(ByteWriter& writer, const FetchRequest& request) {
  write_tag(writer, Tag::fetch);
  writer.put(request.data.value());
  writer.put(request.version.value());
  writer.put(request.bulk_number);
}

bool read(ByteReader& reader, FetchRequest& request) {
  request.data = core::DataId(reader.get<core::DataId::Value>());
  request.version = core::Version(reader.get<core::Version::Value>());
  request.bulk_number = reader.get<std::uint32_t>();
  return !reader.bad();
}

void write(ByteWriter& writer, const PluginOrder& order) {
  write_tag(writer, Tag::plugins);
  writer.put(static_cast<std::uint32_t>(order.files.size()));
  for (const PluginFile& file : order.files) {
    writer.put_text(file.path);
    writer.put_text(file.sha256);
  }
}

bool read(ByteReader& reader, PluginOrder& order) {
  const auto count = reader.get<std::uint32_t>();
  if (reader.bad() || count > most_list_entries) return false;
  order.files.clear();
  for (std::uint32_t i = 0; i < count && !reader.bad(); ++i) {
    PluginFile file;
    file.path = reader.get_text();
    file.sha256 = reader.get_text();
    order.files.push_back(std::move(file));
  }
  return !reader.bad();
}

void write(ByteWriter& writer, const Hello& hello) {
  write_tag(writer, Tag::hello);
  writer.put(hello.protocol);
  writer.put_text(hello.build);
  writer.put_text(hello.cores.host);
  write_cores(writer, hello.cores.mask);
  writer.put(hello.cores.quota);
  writer.put_text(hello.cores_reason);
  writer.put_text(hello.gpus);
  write_gpus(writer, hello.visible_gpus);
  writer.put(hello.memory_bytes);
  writer.put(hello.workers_most);
  writer.put_text(hello.mpi);
  writer.put_text(hello.plugin_failure);
  write_texts(writer, hello.kernels);
}

bool read(ByteReader& reader, Hello& hello) {
  hello.protocol = reader.get<std::uint32_t>();
  if (hello.protocol != protocol_version) return !reader.bad();  // the rest may have another form
  hello.build = reader.get_text();
  hello.cores.host = reader.get_text();
  if (!read_cores(reader, hello.cores.mask)) return false;
  hello.cores.quota = reader.get<double>();
  hello.cores_reason = reader.get_text();
  hello.gpus = reader.get_text();
  if (!read_gpus(reader, hello.visible_gpus)) return false;
  hello.memory_bytes = reader.get<std::int64_t>();
  hello.workers_most = reader.get<std::int32_t>();
  hello.mpi = reader.get_text();
  hello.plugin_failure = reader.get_text();
  return read_texts(reader, hello.kernels);
}

void write(ByteWriter& writer, const Welcome& welcome) {
  write_tag(writer, Tag::welcome);
  write_cores(writer, welcome.cores);
  write_gpus(writer, welcome.gpus);
  writer.put(welcome.host_rank);
  writer.put(welcome.host_ranks);
  writer.put(static_cast<std::uint8_t>(welcome.checked));
}

bool read(ByteReader& reader, Welcome& welcome) {
  if (!read_cores(reader, welcome.cores) || !read_gpus(reader, welcome.gpus)) return false;
  welcome.host_rank = reader.get<std::int32_t>();
  welcome.host_ranks = reader.get<std::int32_t>();
  welcome.checked = reader.get<std::uint8_t>() != 0;
  return !reader.bad();
}

void write(ByteWriter& writer, const Bye& bye) {
  write_tag(writer, Tag::bye);
  writer.put_text(bye.host);
  writer.put_text(bye.cores);
  writer.put(bye.bytes_sent);
  writer.put(bye.bytes_received);
  writer.put(static_cast<std::uint32_t>(bye.devices.size()));
  for (const DeviceReport& device : bye.devices) {
    writer.put_text(device.kind);
    writer.put_text(device.name);
    writer.put(device.lanes);
    writer.put(device.tasks);
    writer.put(device.busy_ns);
    writer.put(device.bytes_in);
    writer.put(device.bytes_out);
    writer.put(device.evictions);
    writer.put_text(device.why_idle);
  }
}

bool read(ByteReader& reader, Bye& bye) {
  bye.host = reader.get_text();
  bye.cores = reader.get_text();
  bye.bytes_sent = reader.get<std::uint64_t>();
  bye.bytes_received = reader.get<std::uint64_t>();
  const auto devices = reader.get<std::uint32_t>();
  if (reader.bad() || devices > most_list_entries) return false;
  bye.devices.clear();
  for (std::uint32_t i = 0; i < devices && !reader.bad(); ++i) {
    DeviceReport device;
    device.kind = reader.get_text();
    device.name = reader.get_text();
    device.lanes = reader.get<std::int32_t>();
    device.tasks = reader.get<std::uint64_t>();
    device.busy_ns = reader.get<std::int64_t>();
    device.bytes_in = reader.get<std::uint64_t>();
    device.bytes_out = reader.get<std::uint64_t>();
    device.evictions = reader.get<std::uint64_t>();
    device.why_idle = reader.get_text();
    bye.devices.push_back(std::move(device));
  }
  return !reader.bad();
}

void write(ByteWriter& writer, const TraceOrder& order) {
  write_tag(writer, Tag::trace);
  writer.put_text(order.folder);
  writer.put(order.bytes);
}

bool read(ByteReader& reader, TraceOrder& order) {
  order.folder = reader.get_text();
  order.bytes = reader.get<std::int64_t>();
  return !reader.bad() && order.bytes > 0;
}

void write(ByteWriter& writer, const Ping& ping) {
  write_tag(writer, Tag::ping);
  writer.put(ping.asked_ns);
}

bool read(ByteReader& reader, Ping& ping) {
  ping.asked_ns = reader.get<std::int64_t>();
  return !reader.bad();
}

void write(ByteWriter& writer, const Pong& pong) {
  write_tag(writer, Tag::pong);
  writer.put(pong.asked_ns);
  writer.put(pong.front_ns);
}

bool read(ByteReader& reader, Pong& pong) {
  pong.asked_ns = reader.get<std::int64_t>();
  pong.front_ns = reader.get<std::int64_t>();
  return !reader.bad();
}

}  // namespace penstock::cluster
