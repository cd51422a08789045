/// Where the other ranks of a loopback group, and the rank itself, put what is meant for a rank. Any thread puts; only
/// the owner's driver takes. Memory is reused: in steady state a message allocates nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "transport/doorbell.hpp"
#include "transport/transport.hpp"

namespace penstock::transport {

/// Bulk that a sender has ready, shared by both sides until the receiver has taken it.
class Offer {
 public:
  Offer(core::RankId sender, core::RankId receiver, BulkNumber number, std::span<const std::byte> bytes)
      : sender_(sender), receiver_(receiver), number_(number), bytes_(bytes) {}

  [[nodiscard]] core::RankId sender() const { return sender_; }
  [[nodiscard]] core::RankId receiver() const { return receiver_; }
  [[nodiscard]] BulkNumber number() const { return number_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  /// Copies the bytes from `offset` on; false when the offer was withdrawn.
  [[nodiscard]] bool copy(std::size_t offset, std::span<std::byte> to) const;
  /// The sender's memory is not touched any more once this returns; it waits for at most one copy().
  void withdraw();

 private:
  const core::RankId sender_;
  const core::RankId receiver_;
  const BulkNumber number_;
  const std::span<const std::byte> bytes_;
  mutable std::mutex mutex_;  ///< guards withdrawn_, and the sender's memory during a copy
  bool withdrawn_ = false;
};

/// A message's place in the bytes of its post.
struct Letter {
  core::RankId from;
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// The receiver has copied all of a bulk: news for its sender.
struct Taken {
  core::RankId by;
  BulkNumber number = 0;
};

/// A batch of what arrived, in order of arrival.
struct Post {
  std::vector<std::variant<Letter, std::shared_ptr<Offer>, Taken>> items;
  std::vector<std::byte> bytes;

  void clear();
};

class Mailbox {
 public:
  void put_message(core::RankId from, std::span<const std::byte> message);
  void put_offer(std::shared_ptr<Offer> offer);
  void put_taken(Taken taken);

  /// Exchanges `post`, which is empty, for what has arrived.
  void take(Post& post);
  [[nodiscard]] bool empty() const;
  /// Rung at every arrival.
  Doorbell& bell() { return bell_; }

 private:
  mutable std::mutex mutex_;  ///< guards post_
  Post post_;
  Doorbell bell_;
};

}  // namespace penstock::transport
