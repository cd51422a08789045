/// A rank in a test: its transport and a receiver that records what arrives. Used by that rank's thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace penstock::transport::testing {

using Bytes = std::vector<std::byte>;

class Peer final : public Receiver {
 public:
  explicit Peer(Transport& transport)
      : transport_(transport), inbox_(count()), met_(count(), 0), sent_(count()), received_(count()) {}

  [[nodiscard]] Transport& transport() { return transport_; }
  [[nodiscard]] int rank() const { return transport_.rank().value(); }
  [[nodiscard]] int ranks() const { return transport_.ranks(); }
  [[nodiscard]] int next() const { return (rank() + 1) % ranks(); }
  [[nodiscard]] int previous() const { return (rank() + ranks() - 1) % ranks(); }

  void send(int to, std::span<const std::byte> message) { transport_.send(core::RankId{to}, message); }
  template <class T>
    requires std::is_arithmetic_v<T>
  void send(int to, T value) {
    send(to, std::as_bytes(std::span(&value, 1)));
  }
  void send_bulk(int to, BulkNumber number, std::span<const std::byte> bytes) {
    transport_.send_bulk(core::RankId{to}, number, bytes);
  }
  void receive_bulk(int from, BulkNumber number, std::span<std::byte> bytes) {
    transport_.receive_bulk(core::RankId{from}, number, bytes);
  }

  /// Calls progress(), and waits when there is nothing, until `done`; a failure of the test and false after a minute.
  [[nodiscard]] bool pump_until(const std::function<bool()>& done, const std::string& what);
  /// Waits until every rank has called it; what they sent before has arrived then.
  void meet();
  /// meet(), then waits until its own transfers have ended. A body that sets a hook below, or that lends memory to a
  /// transfer, must not end before what concerns them has.
  void synchronise();

  /// What arrived from `from`, in order; empty while on_message takes the messages.
  [[nodiscard]] std::vector<Bytes>& inbox(int from) { return inbox_[static_cast<std::size_t>(from)]; }
  [[nodiscard]] const std::vector<BulkNumber>& sent(int to) const { return sent_[static_cast<std::size_t>(to)]; }
  [[nodiscard]] const std::vector<BulkNumber>& received(int from) const {
    return received_[static_cast<std::size_t>(from)];
  }

  std::function<void(int from, std::span<const std::byte>)> on_message;
  std::function<void(int from, BulkNumber)> on_bulk_received;

 private:
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(transport_.ranks()); }
  void message(core::RankId from, std::span<const std::byte> message) override;
  void bulk_sent(core::RankId to, BulkNumber number) override;
  void bulk_received(core::RankId from, BulkNumber number) override;

  Transport& transport_;
  std::vector<std::vector<Bytes>> inbox_;
  std::vector<int> met_;
  int meetings_ = 0;
  std::vector<std::vector<BulkNumber>> sent_;
  std::vector<std::vector<BulkNumber>> received_;
};

template <class T>
T value_of(std::span<const std::byte> message) {
  T value{};
  std::memcpy(&value, message.data(), std::min(sizeof(T), message.size()));
  return value;
}

/// Bytes that tell their place and `key`: a lost, doubled or misplaced piece shows.
Bytes pattern(std::size_t size, std::uint64_t key);
/// Whether `bytes` are pattern(bytes.size(), key).
bool is_pattern(std::span<const std::byte> bytes, std::uint64_t key);

}  // namespace penstock::transport::testing
