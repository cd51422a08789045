#include "support/virtual_rank.hpp"

#include <algorithm>

#include "core/bytes.hpp"
#include "support/program.hpp"

namespace penstock::support {

using cluster::Operand;
using cluster::OperandKind;
using cluster::Tag;
using coherence::SlotIndex;
using coherence::StorageIndex;
using core::DataId;
using core::Outcome;
using core::TaskId;
using core::Version;

// --- commands ------------------------------------------------------------------------------------

void VirtualRank::receive(std::span<const std::byte> commands) {
  core::ByteReader reader(commands);
  cluster::Settled settled;
  cluster::TaskCommand command;
  while (reader.left() > 0) {
    const Tag tag = cluster::read_tag(reader);
    require(!reader.bad(), "a command has a tag");
    DataId data;
    Version version;
    if (tag == Tag::task) {
      require(read(reader, command), "a task is well formed");
      admit(command);
    } else if (tag == Tag::drop) {
      require(cluster::read_drop(reader, data, version), "a drop is well formed");
      machine_.drop(data, version, settled);
      free(std::exchange(settled.freed, {}));  // at once: the next command may be given the same storage
    } else {
      require(tag == Tag::cancel, "the front-end sends tasks, drops and cancels");
      cancelled_ = true;
    }
  }
}

void VirtualRank::admit(const cluster::TaskCommand& command) {
  require(machine_.admit(command, admission_), "a version that is read is here, or there is a source for it");
  const SlotIndex index = admission_.slot;
  Slot& task = open(index);
  task.command = command;
  task.parameters.assign(command.parameters.begin(), command.parameters.end());
  task.places = admission_.places;
  task.waits = 1 + admission_.drains;
  for (const cluster::Admission::Fetch& order : admission_.fetches) begin_fetch(order);
  for (std::size_t i = 0; i < command.operands.size(); ++i) {
    const OperandKind kind = command.operands[i].kind;
    if (kind == OperandKind::write || kind == OperandKind::copy) claim(task.places[i].out);
    if (kind == OperandKind::consume) require(task.places[i].in == task.places[i].out, "a consumer has one storage");
  }
  for (const auto& predecessor : admission_.predecessors) follow(index, predecessor);
  if (admission_.cause != TaskId()) task.cause = admission_.cause;
  release(index);
}

VirtualRank::Slot& VirtualRank::open(SlotIndex index) {
  while (slots_.size() <= index.value()) slots_.emplace_back();
  Slot& opened = slots_[index.value()];
  require(!opened.live, "a slot is used again only after its settlement");
  opened = Slot();
  opened.live = true;
  return opened;
}

VirtualRank::Storage& VirtualRank::storage(StorageIndex index) {
  while (storages_.size() <= index.value()) storages_.emplace_back();
  return storages_[index.value()];
}

void VirtualRank::claim(StorageIndex index) {
  Storage& claimed = storage(index);
  require(claimed.state == Storage::State::free, "a new storage is not in use");
  claimed.state = Storage::State::empty;
}

void VirtualRank::begin_fetch(const cluster::Admission::Fetch& order) {
  Slot& fetch = open(order.slot);
  fetch.is_fetch = true;
  fetch.fetch = order;
  fetch.waits = 1;
  claim(order.storage);
  storage(order.storage).state = Storage::State::writing;
  world_.fetch(rank_, order);
}

void VirtualRank::follow(SlotIndex successor, const cluster::Admission::Predecessor& predecessor) {
  Slot& before = slot(predecessor.slot);
  require(before.live && predecessor.slot != successor, "a predecessor is another task that is not settled");
  if (!before.finished) {
    before.successors.push_back({successor, predecessor.carries_failure});
    ++slot(successor).waits;
  } else if (predecessor.carries_failure && before.cause != TaskId()) {
    slot(successor).cause = before.cause;
  }
}

// --- running -------------------------------------------------------------------------------------

void VirtualRank::release(SlotIndex index) {
  require(slot(index).live && slot(index).waits > 0, "a task is released as often as it waits");
  if (--slot(index).waits == 0) world_.later(World::Delay::start, [this, index] { start(index); });
}

void VirtualRank::start(SlotIndex index) {
  Slot& task = slot(index);
  if (task.cause != TaskId()) return finish(index, Outcome::skipped, task.cause);
  if (cancelled_) return finish(index, Outcome::cancelled, task.command.task);
  begin_writing(task);
  world_.later(World::Delay::run, [this, index] { complete(index); });
}

/// From here until its end a task holds its inputs and writes to its outputs.
void VirtualRank::begin_writing(Slot& task) {
  const auto& operands = task.command.operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind != OperandKind::write) static_cast<void>(input_value(task, i));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == OperandKind::read) continue;
    Storage& out = storage(task.places[i].out);
    require(out.state != Storage::State::writing, "one task at a time writes to a storage");
    if (operands[i].kind == OperandKind::copy) out = storage(task.places[i].in);
    out.state = Storage::State::writing;
  }
}

/// The value of an input; of a consumed or copied one out of the storage that will be written.
std::uint64_t VirtualRank::input_value(const Slot& task, std::size_t operand) const {
  const Operand& wanted = task.command.operands[operand];
  const Storage& place = storage(task.places[operand].in);
  require(place.state == Storage::State::full, "an input is there");
  require(place.data == wanted.data && place.version == wanted.reads, "an input is the version that was stamped");
  return place.value;
}

void VirtualRank::complete(SlotIndex index) {
  Slot& task = slot(index);
  const auto& operands = task.command.operands;
  std::vector<std::uint64_t> reads;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == OperandKind::write) continue;
    const bool rewrites = operands[i].kind != OperandKind::read;
    reads.push_back(rewrites ? storage(task.places[i].out).value : input_value(task, i));
  }
  if (task.command.kernel == cluster::touch_kernel) return finish(index, Outcome::done, {});
  task.busy_ns = world_.busy_ns();
  world_.computed(task.command.task, reads);
  core::ByteReader parameters(task.parameters);
  const auto salt = parameters.get<std::uint64_t>();
  const bool fails = parameters.get<std::uint8_t>() != 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == OperandKind::read) continue;
    put_output(task, i, fails ? ~salt : written_value(task.command.kernel, salt, reads, i));
  }
  if (fails)
    finish(index, Outcome::failed, task.command.task);
  else
    finish(index, Outcome::done, {});
}

void VirtualRank::put_output(Slot& task, std::size_t operand, std::uint64_t value) {
  Storage& out = storage(task.places[operand].out);
  require(out.state == Storage::State::writing, "nobody else uses a storage that is written");
  out = {Storage::State::full, task.command.operands[operand].data, task.command.operands[operand].writes, value};
}

void VirtualRank::finish(SlotIndex index, Outcome outcome, TaskId cause) {
  Slot& ended = slot(index);
  require(ended.live && !ended.finished, "a task ends once");
  ended.finished = true;
  ended.outcome = outcome;
  ended.cause = cause;
  for (const Edge& edge : ended.successors) {
    if (edge.carries_failure && cause != TaskId()) slot(edge.successor).cause = cause;
    release(edge.successor);
  }
  finished_.push_back(index);
  if (finished_.size() == 1) world_.later(World::Delay::settle, [this] { settle(); });
}

// --- settlement ----------------------------------------------------------------------------------

void VirtualRank::settle() {
  const std::vector<SlotIndex> finished = std::exchange(finished_, {});
  std::vector<std::byte> item = endings(finished);
  cluster::Settled settled;
  for (const SlotIndex index : finished) {
    machine_.settle(index, slot(index).cause, settled);
    slot(index).live = false;
  }
  free(settled.freed);
  for (const SlotIndex index : settled.drained) release(index);
  if (!item.empty()) world_.report(rank_, std::move(item));
}

std::vector<std::byte> VirtualRank::endings(std::span<const SlotIndex> finished) {
  std::vector<std::byte> item;
  const auto is_task = [&](SlotIndex index) { return !slot(index).is_fetch; };
  const auto count = static_cast<std::uint32_t>(std::ranges::count_if(finished, is_task));
  if (count == 0) return item;
  core::ByteWriter writer(item);
  cluster::write_tag(writer, Tag::endings);
  writer.put(count);
  for (const SlotIndex index : finished) {
    if (!is_task(index)) continue;
    const Slot& task = slot(index);
    write(writer, cluster::EndingReport{.ticket = task.command.ticket,
                                        .busy_ns = task.busy_ns,
                                        .ending = {.task = task.command.task,
                                                   .attempt = task.command.attempt,
                                                   .outcome = task.outcome,
                                                   .rank = core::no_rank,
                                                   .device = {},
                                                   .cause = task.cause,
                                                   .message = task.outcome == Outcome::failed ? "as told" : ""}});
  }
  return item;
}

void VirtualRank::free(const std::vector<StorageIndex>& freed) {
  for (const StorageIndex index : freed) {
    Storage& ended = storage(index);
    require(ended.state != Storage::State::free, "a storage is freed once");
    require(ended.state != Storage::State::writing, "a storage is not freed while it is written");
    ended = Storage();
  }
}

// --- transfers -----------------------------------------------------------------------------------

VirtualRank::Served VirtualRank::serve(DataId data, Version version) {
  const coherence::ReplicaIndex replica = machine_.find(data, version);
  require(replica != coherence::no_replica, "the source of a fetch has the version");
  const Served served{replica, machine_.begin_use(replica), data, version};
  static_cast<void>(served_value(served));
  return served;
}

std::uint64_t VirtualRank::served_value(const Served& served) const {
  const Storage& place = storage(served.storage);
  require(place.state == Storage::State::full, "what is sent away is there");
  require(place.data == served.data && place.version == served.version, "what is sent away is the version wanted");
  return place.value;
}

void VirtualRank::served(const Served& served) {
  static_cast<void>(served_value(served));  // unchanged until now
  cluster::Settled settled;
  machine_.end_use(served.replica, settled);
  free(settled.freed);
  for (const SlotIndex index : settled.drained) release(index);
}

void VirtualRank::fetched(SlotIndex index, std::uint64_t value) {
  const cluster::Admission::Fetch& order = slot(index).fetch;
  Storage& into = storage(order.storage);
  require(into.state == Storage::State::writing, "nobody else uses a storage that is filled");
  into = {Storage::State::full, order.data, order.version, value};
  finish(index, Outcome::done, {});
}

// --- looking -------------------------------------------------------------------------------------

bool VirtualRank::holds(DataId data, Version version) const {
  const coherence::ReplicaIndex replica = machine_.find(data, version);
  if (replica == coherence::no_replica) return false;
  const Storage& place = storage(machine_.storage_of(replica));
  return place.state == Storage::State::full && place.data == data && place.version == version;
}

std::uint64_t VirtualRank::value(DataId data, Version version) const {
  require(holds(data, version), "a version that was brought here is here");
  return storage(machine_.storage_of(machine_.find(data, version))).value;
}

std::size_t VirtualRank::live_storages() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(storages_, [](const Storage& place) { return place.state != Storage::State::free; }));
}

}  // namespace penstock::support
