/// The mover carries messages and versions between ranks. Any thread may post a message or order a fetch; the rank's
/// driver thread owns the transport and does the work in progress().
///
/// A fetch sends its owner a request that names a bulk number, and receives under that number straight into the
/// replica's memory; the owner serves it from the memory of its own replica. No bytes are copied on the way, none pass
/// rank 0.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cluster/messages.hpp"
#include "coherence/replica_table.hpp"
#include "core/ids.hpp"
#include "trace/recorder.hpp"
#include "transport/transport.hpp"

namespace penstock::mover {

struct ServedReplica {
  coherence::ReplicaIndex replica;
  std::span<const std::byte> bytes;
};

/// The answer to a fetch.
struct Serving {
  enum class State : std::uint8_t {
    nowhere,
    later,  ///< its bytes are on their way to host memory: ask again
    here,
  };
  State state = State::nowhere;
  ServedReplica replica = {};
};

/// What the mover tells its owner, from inside progress() on the driver thread.
class MoverEvents {
 public:
  /// Any message but a fetch request; valid for the call.
  virtual void message(core::RankId from, std::span<const std::byte> message) = 0;
  /// Another rank wants this version: its replica, which then stays until served().
  virtual Serving serve(core::DataId data, core::Version version) = 0;
  virtual void served(coherence::ReplicaIndex replica) = 0;
  /// The bytes of the fetch ordered for this slot are there.
  virtual void fetched(coherence::SlotIndex slot) = 0;

 protected:
  ~MoverEvents() = default;
};

/// An order to bring a version here. The memory must stay until MoverEvents::fetched().
struct FetchOrder {
  coherence::SlotIndex slot;
  core::RankId from;
  core::DataId data;
  core::Version version;
  std::span<std::byte> into;
};

class Mover final : private transport::Receiver {
 public:
  explicit Mover(std::unique_ptr<transport::Transport> transport);

  [[nodiscard]] core::RankId rank() const { return transport_->rank(); }
  [[nodiscard]] int ranks() const { return transport_->ranks(); }

  /// Copies the message and has the driver send it, in the order of the calls. Any thread; never waits.
  void post(core::RankId to, std::span<const std::byte> message);
  /// Any thread; never waits.
  void fetch(const FetchOrder& order);
  /// From now on transfers are recorded there. Driver thread, or before there is one; null: no more.
  void trace(trace::Lane* lane) { lane_ = lane; }
  /// Has the driver come back from wait(). Any thread.
  void wake() { transport_->wake(); }

  /// Driver thread: sends what was posted, delivers what came. True when there was anything.
  bool progress(MoverEvents& events);
  /// Driver thread: sleeps until there may be something to do, at most `limit`.
  void wait(std::chrono::nanoseconds limit);
  /// Driver thread: nothing posted, nothing under way.
  [[nodiscard]] bool quiet();

  /// Bytes of versions moved so far. Driver thread.
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  [[nodiscard]] std::uint64_t bytes_received() const { return bytes_received_; }

 private:
  struct Posted {
    core::RankId to;
    std::size_t begin;  // in posted_bytes_
    std::size_t end;
  };
  void message(core::RankId from, std::span<const std::byte> message) override;
  void bulk_sent(core::RankId to, transport::BulkNumber number) override;
  void bulk_received(core::RankId from, transport::BulkNumber number) override;
  /// A transfer that is under way.
  struct Begun {
    core::DataId data;
    core::Version version;
    std::size_t bytes = 0;
    std::int64_t begin_ns = 0;
  };
  struct Sending {
    coherence::ReplicaIndex replica;
    Begun begun;
  };
  struct Request {
    core::RankId to;
    cluster::FetchRequest request;
  };
  struct Fetching {
    FetchOrder order;
    Begun begun;
  };
  void record(core::Direction direction, core::RankId peer, const Begun& begun);
  bool send_posted();
  void begin_fetch(const FetchOrder& order);
  void serve(core::RankId to, std::span<const std::byte> request);
  [[nodiscard]] bool serve(const Request& request);
  bool serve_deferred();

  std::unique_ptr<transport::Transport> transport_;

  std::mutex mutex_;  // guards the next three, which any thread fills
  std::vector<Posted> posted_;
  std::vector<std::byte> posted_bytes_;
  std::vector<FetchOrder> ordered_;

  // The driver's own.
  MoverEvents* events_ = nullptr;  // during progress()
  std::vector<Posted> sending_;
  std::vector<std::byte> sending_bytes_;
  std::vector<FetchOrder> beginning_;
  std::unordered_map<transport::BulkNumber, Fetching> fetches_;  // looked up only
  transport::BulkNumber next_number_ = 0;
  std::unordered_map<std::uint64_t, Sending> serving_;  // by receiver and number; looked up only
  std::vector<Request> deferred_;
  std::size_t under_way_ = 0;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_received_ = 0;
  trace::Lane* lane_ = nullptr;
};

}  // namespace penstock::mover
