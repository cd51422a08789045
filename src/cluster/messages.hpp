/// What ranks say to each other, and its form on the wire. A message is a sequence of items, each a tag and its fields
/// in the machine's byte order (ranks of one run have one build). Readers check every length and number they can; a
/// message that is not well formed is reported, never trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/kernel.hpp>

#include "core/bytes.hpp"
#include "core/cores.hpp"
#include "core/gpu_sharing.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"

namespace penstock::cluster {

inline constexpr std::uint32_t protocol_version = 4;

enum class Tag : std::uint8_t {
  hello = 1,     ///< rank to front: who I am
  welcome = 2,   ///< front to rank: the cores and GPUs to use
  dismiss = 3,   ///< front to rank: end at once
  task = 4,      ///< front to rank: run this
  drop = 5,      ///< front to rank: a replica is not needed any more
  cancel = 6,    ///< front to rank: start nothing more
  finish = 7,    ///< front to rank: report and end
  endings = 8,   ///< rank to front: tasks that ended
  fetch = 9,     ///< rank to rank: send me this version
  bye = 10,      ///< rank to front: what I did, the last message
  trace = 11,    ///< front to rank: record what happens
  ping = 12,     ///< rank to front: what does your clock show?
  pong = 13,     ///< front to rank: this
  plugins = 14,  ///< front to rank, the first message: load these, then say hello
};

/// How a task on a rank comes to one operand.
enum class OperandKind : std::uint8_t {
  read = 0,
  write = 1,    ///< a new buffer
  consume = 2,  ///< read-write in the buffer of the version read, which nobody else needs
  copy = 3,     ///< read-write in a new buffer, copied from the version read first
};

struct Operand {
  OperandKind kind = OperandKind::read;
  core::DataId data;
  core::Version reads;
  core::Version writes;
  core::RankId source = core::no_rank;  ///< fetch `reads` from there; no_rank: it is here or will be made here
  ArrayType type;
};

struct TaskCommand {
  std::uint32_t ticket = 0;  ///< the front-end's place for the task; comes back with its ending
  core::TaskId task;
  core::Attempt attempt;
  core::KernelId kernel;
  std::uint16_t cores = 1;
  std::vector<Operand> operands;
  std::span<const std::byte> parameters;  ///< into the message
  std::string_view name = {};             ///< likewise: that the program gave the task; may be empty
};

/// The kernel of a task that only brings its inputs to a rank and touches them.
inline constexpr core::KernelId touch_kernel{0xffff};

struct EndingReport {
  std::uint32_t ticket = 0;
  std::int64_t busy_ns = 0;  ///< how long its body ran
  core::Ending ending;
};

struct FetchRequest {
  core::DataId data;
  core::Version version;
  std::uint32_t bulk_number = 0;
};

/// A plugin that every rank loads, as it is on rank 0.
struct PluginFile {
  std::string path;  ///< absolute
  std::string sha256;
};
/// What the front-end says first.
struct PluginOrder {
  std::vector<PluginFile> files;
};

/// What a rank says of itself at start.
struct Hello {
  std::uint32_t protocol = protocol_version;
  std::string build;
  core::AllowedCores cores;
  std::string cores_reason;  ///< why these cores: for the table of devices
  std::string gpus;          ///< names, or why none
  std::vector<core::VisibleGpu> visible_gpus;
  std::int64_t memory_bytes = 0;
  std::int32_t workers_most = 0;     ///< a limit for the rank's share of the cores; 0: none
  std::string mpi;                   ///< the thread level, or that there is no MPI
  std::string plugin_failure;        ///< what is wrong with a plugin on this rank; empty: nothing
  std::vector<std::string> kernels;  ///< the signatures, in the order of the table
};

/// What the front-end answers: the rank's share of its host, and how tasks are run.
struct Welcome {
  core::CoreSet cores;
  std::vector<core::OwnGpu> gpus;
  std::int32_t host_rank = 0;  ///< this rank's place among the ranks of its host
  std::int32_t host_ranks = 1;
  bool checked = false;  ///< it watches what bodies do to their arrays
};

/// Where to record what happens.
struct TraceOrder {
  std::string folder;  ///< on a file system that all ranks share
  std::int64_t bytes = 0;
};

/// Compares the clocks of two ranks, in nanoseconds of each one's own; the question comes back with the answer.
struct Ping {
  std::int64_t asked_ns = 0;
};
struct Pong {
  std::int64_t asked_ns = 0;
  std::int64_t front_ns = 0;
};

struct DeviceReport {
  std::string kind;
  std::string name;
  std::int32_t lanes = 0;
  std::uint64_t tasks = 0;
  std::int64_t busy_ns = 0;
  // Of a GPU: bytes that came to its memory and left it, and blocks that had to make room there.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t evictions = 0;
  std::string why_idle = {};  ///< why it ran no more tasks; may be empty
};

struct Bye {
  std::string host;
  std::string cores;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::vector<DeviceReport> devices;
};

void write_tag(core::ByteWriter& writer, Tag tag);
/// The tag of the next item; the reader turns bad when there is none such.
Tag read_tag(core::ByteReader& reader);

void write(core::ByteWriter& writer, const TaskCommand& command);
void write_drop(core::ByteWriter& writer, core::DataId data, core::Version version);
void write(core::ByteWriter& writer, const EndingReport& report);
void write(core::ByteWriter& writer, const FetchRequest& request);
void write(core::ByteWriter& writer, const PluginOrder& order);
void write(core::ByteWriter& writer, const Hello& hello);
void write(core::ByteWriter& writer, const Welcome& welcome);
void write(core::ByteWriter& writer, const Bye& bye);
void write(core::ByteWriter& writer, const TraceOrder& order);
void write(core::ByteWriter& writer, const Ping& ping);
void write(core::ByteWriter& writer, const Pong& pong);

/// Each reads what follows its tag; false when it is not well formed.
[[nodiscard]] bool read(core::ByteReader& reader, TaskCommand& command);
[[nodiscard]] bool read_drop(core::ByteReader& reader, core::DataId& data, core::Version& version);
[[nodiscard]] bool read(core::ByteReader& reader, EndingReport& report);
[[nodiscard]] bool read(core::ByteReader& reader, FetchRequest& request);
[[nodiscard]] bool read(core::ByteReader& reader, PluginOrder& order);
[[nodiscard]] bool read(core::ByteReader& reader, Hello& hello);
[[nodiscard]] bool read(core::ByteReader& reader, Welcome& welcome);
[[nodiscard]] bool read(core::ByteReader& reader, Bye& bye);
[[nodiscard]] bool read(core::ByteReader& reader, TraceOrder& order);
[[nodiscard]] bool read(core::ByteReader& reader, Ping& ping);
[[nodiscard]] bool read(core::ByteReader& reader, Pong& pong);

/// Endings travel in batches: the tag, how many (32 bits), and as many reports.

}  // namespace penstock::cluster
