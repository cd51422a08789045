/// A rank without threads or bytes: the real RankMachine, with values that are integers and edges that are counters. It
/// does what the back-end does with an admission, checks every step, and throws Violation where a promise is broken: a
/// storage read that holds another version, freed twice, or written while it is read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rank_machine.hpp"
#include "core/outcome.hpp"

namespace penstock::support {

class Violation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const char* promise) {
  if (!holds) throw Violation(promise);
}

/// What a virtual rank asks of the world around it.
class World {
 public:
  enum class Delay : std::uint8_t { start, run, settle };
  /// Calls `action` after a while of this kind, never at once.
  virtual void later(Delay delay, std::function<void()> action) = 0;
  virtual void fetch(core::RankId to, const cluster::Admission::Fetch& order) = 0;
  /// One endings item for the front-end.
  virtual void report(core::RankId from, std::vector<std::byte> item) = 0;
  /// The values that a task has read.
  virtual void computed(core::TaskId task, std::span<const std::uint64_t> reads) = 0;
  /// How long a body ran.
  virtual std::int64_t busy_ns() = 0;

 protected:
  ~World() = default;
};

class VirtualRank {
 public:
  VirtualRank(core::RankId rank, World& world) : rank_(rank), world_(world) {}

  void receive(std::span<const std::byte> commands);

  /// Another rank's fetch: serve() keeps the replica until served(); served_value() is read where the bytes travel.
  struct Served {
    coherence::ReplicaIndex replica;
    coherence::StorageIndex storage;
    core::DataId data;
    core::Version version;
  };
  [[nodiscard]] Served serve(core::DataId data, core::Version version);
  [[nodiscard]] std::uint64_t served_value(const Served& served) const;
  void served(const Served& served);
  void fetched(coherence::SlotIndex slot, std::uint64_t value);

  /// Whether a settled replica with that content is here, and its value.
  [[nodiscard]] bool holds(core::DataId data, core::Version version) const;
  [[nodiscard]] std::uint64_t value(core::DataId data, core::Version version) const;

  [[nodiscard]] std::size_t live_storages() const;
  [[nodiscard]] const cluster::RankMachine& machine() const { return machine_; }

 private:
  struct Storage {
    enum class State : std::uint8_t { free, empty, writing, full };
    State state = State::free;
    core::DataId data;
    core::Version version;
    std::uint64_t value = 0;
  };
  struct Edge {
    coherence::SlotIndex successor;
    bool carries_failure;
  };
  struct Slot {
    bool live = false;
    bool finished = false;
    bool is_fetch = false;
    std::uint32_t waits = 0;
    core::TaskId cause;
    core::Outcome outcome = core::Outcome::done;
    std::int64_t busy_ns = 0;
    std::vector<Edge> successors;
    cluster::TaskCommand command;
    std::vector<std::byte> parameters;
    std::vector<cluster::OperandPlace> places;
    cluster::Admission::Fetch fetch;
  };

  void admit(const cluster::TaskCommand& command);
  Slot& open(coherence::SlotIndex index);
  Slot& slot(coherence::SlotIndex index) { return slots_.at(index.value()); }
  Storage& storage(coherence::StorageIndex index);
  [[nodiscard]] const Storage& storage(coherence::StorageIndex index) const { return storages_.at(index.value()); }
  void claim(coherence::StorageIndex index);
  void begin_fetch(const cluster::Admission::Fetch& order);
  void follow(coherence::SlotIndex successor, const cluster::Admission::Predecessor& predecessor);
  void release(coherence::SlotIndex index);
  void start(coherence::SlotIndex index);
  void begin_writing(Slot& task);
  void complete(coherence::SlotIndex index);
  [[nodiscard]] std::uint64_t input_value(const Slot& task, std::size_t operand) const;
  void put_output(Slot& task, std::size_t operand, std::uint64_t value);
  void finish(coherence::SlotIndex index, core::Outcome outcome, core::TaskId cause);
  void settle();
  [[nodiscard]] std::vector<std::byte> endings(std::span<const coherence::SlotIndex> finished);
  void free(const std::vector<coherence::StorageIndex>& freed);

  core::RankId rank_;
  World& world_;
  cluster::RankMachine machine_;
  cluster::Admission admission_;
  std::deque<Slot> slots_;
  std::deque<Storage> storages_;
  std::vector<coherence::SlotIndex> finished_;
  bool cancelled_ = false;
};

}  // namespace penstock::support
