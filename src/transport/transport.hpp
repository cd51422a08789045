/// The contract of a transport: moves messages and bulk data between ranks, point to point, never waiting.
///
/// One thread per rank, the rank's driver, calls progress(), wait() and all the others except wake(), which any thread
/// may call. No function but wait() blocks. There are two kinds of traffic:
///  - messages: small (at most max_message_bytes), copied; between two ranks they arrive in the order they were sent;
///  - bulk: bytes between memory of the two ranks, matched by sender, receiver and a number that the receiver chose; of
///    any size; the memory must stay until the transport reports the end of the transfer. A transfer has at most two
///    chunks of a few MiB in flight, so that no message waits long behind it. The two kinds are not ordered against
///    each other.
///
/// Where the machine refuses (MPI reports an error), the functions throw Error (environment).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/ids.hpp"

namespace penstock::transport {

inline constexpr std::size_t max_message_bytes = std::size_t{1} << 20;

/// Names a transfer between one sender and one receiver while it lasts; below bulk_numbers. The receiver may use it
/// again after its bulk_received(), even if the sender has not been told bulk_sent() yet: the sender is told of both in
/// order.
using BulkNumber = std::uint32_t;
inline constexpr BulkNumber bulk_numbers = BulkNumber{1} << 20;

/// Who is told of arrivals. All calls are made from inside progress(), which must not be called from inside them.
class Receiver {
 public:
  /// `message` is valid for the call.
  virtual void message(core::RankId from, std::span<const std::byte> message) = 0;
  virtual void bulk_sent(core::RankId to, BulkNumber number) = 0;
  virtual void bulk_received(core::RankId from, BulkNumber number) = 0;

 protected:
  ~Receiver() = default;
};

class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual core::RankId rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;

  /// Copies `message` and sends it. To the own rank too: it arrives by progress() like any other.
  virtual void send(core::RankId to, std::span<const std::byte> message) = 0;
  /// Sends `bytes` to where the receiver has called, or will call, receive_bulk() with the same number and size. To the
  /// own rank too.
  virtual void send_bulk(core::RankId to, BulkNumber number, std::span<const std::byte> bytes) = 0;
  virtual void receive_bulk(core::RankId from, BulkNumber number, std::span<std::byte> bytes) = 0;

  /// Delivers what has arrived or ended to `receiver`; true when there was anything. Never waits. The receiver may call
  /// send(), send_bulk() and receive_bulk() from inside.
  virtual bool progress(Receiver& receiver) = 0;
  /// Whether sends or bulk transfers are under way, so that progress() ought to be called soon.
  [[nodiscard]] virtual bool busy() const = 0;
  /// Sleeps until there is something for progress() to deliver, wake() is called, or the time is over, whichever comes
  /// first; now and then returns early without reason. Where arrivals cannot wake a thread (MPI) it looks between
  /// sleeps that grow from 20 us to 1 ms while nothing moves, to 100 us while busy().
  virtual void wait(std::chrono::nanoseconds limit) = 0;
  /// Ends a wait() under way or the next one. Any thread.
  virtual void wake() = 0;
};

}  // namespace penstock::transport
