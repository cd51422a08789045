#include "transport/loopback/loopback.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/assert.hpp"
#include "transport/loopback/mailbox.hpp"

namespace penstock::transport {

namespace {

/// About 100 us of copying.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

using Mailboxes = std::deque<Mailbox>;

/// A receive_bulk() that has not ended; `offer` is null until the sender's has come.
struct Receive {
  core::RankId from;
  BulkNumber number = 0;
  std::span<std::byte> bytes;
  std::size_t copied = 0;
  std::shared_ptr<Offer> offer;
};

class Loopback final : public Transport {
 public:
  Loopback(core::RankId rank, std::shared_ptr<Mailboxes> mailboxes)
      : rank_(rank), mailboxes_(std::move(mailboxes)), own_(mailbox(rank)) {}
  ~Loopback() override {
    for (const auto& offer : offered_) offer->withdraw();
  }
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  [[nodiscard]] core::RankId rank() const override { return rank_; }
  [[nodiscard]] int ranks() const override { return static_cast<int>(mailboxes_->size()); }

  void send(core::RankId to, std::span<const std::byte> message) override;
  void send_bulk(core::RankId to, BulkNumber number, std::span<const std::byte> bytes) override;
  void receive_bulk(core::RankId from, BulkNumber number, std::span<std::byte> bytes) override;
  bool progress(Receiver& receiver) override;
  [[nodiscard]] bool busy() const override { return !offered_.empty() || !awaited_.empty() || !copying_.empty(); }
  void wait(std::chrono::nanoseconds limit) override;
  void wake() override { own_.bell().ring(); }

 private:
  Mailbox& mailbox(core::RankId rank) {
    PENSTOCK_ASSERT(rank.value() >= 0 && rank.value() < ranks());
    return (*mailboxes_)[static_cast<std::size_t>(rank.value())];
  }
  bool open_post(Receiver& receiver);
  void open(const Letter& letter, Receiver& receiver);
  void open(const std::shared_ptr<Offer>& offer, Receiver& receiver);
  void open(const Taken& taken, Receiver& receiver);
  void start_copy(Receive receive, std::shared_ptr<Offer> offer);
  bool copy_chunk(Receiver& receiver);

  const core::RankId rank_;
  const std::shared_ptr<Mailboxes> mailboxes_;  ///< outlives each rank's transport, since others may still put
  Mailbox& own_;
  Post post_;
  std::size_t opened_ = 0;                         ///< items of post_ that were delivered
  std::vector<std::shared_ptr<Offer>> offered_;    ///< by this rank, not yet taken; oldest first
  std::vector<std::shared_ptr<Offer>> unclaimed_;  ///< to this rank, before its receive_bulk()
  std::vector<Receive> awaited_;                   ///< receives before their offer
  std::deque<Receive> copying_;                    ///< the others; the front is next
};

void Loopback::send(core::RankId to, std::span<const std::byte> message) {
  PENSTOCK_ASSERT(message.size() <= max_message_bytes);
  mailbox(to).put_message(rank_, message);
}

void Loopback::send_bulk(core::RankId to, BulkNumber number, std::span<const std::byte> bytes) {
  PENSTOCK_ASSERT(number < bulk_numbers);
  offered_.push_back(std::make_shared<Offer>(rank_, to, number, bytes));
  mailbox(to).put_offer(offered_.back());
}

void Loopback::receive_bulk(core::RankId from, BulkNumber number, std::span<std::byte> bytes) {
  PENSTOCK_ASSERT(number < bulk_numbers && from.value() >= 0 && from.value() < ranks());
  Receive receive{.from = from, .number = number, .bytes = bytes, .copied = 0, .offer = nullptr};
  const auto found = std::ranges::find_if(
      unclaimed_, [&](const auto& offer) { return offer->sender() == from && offer->number() == number; });
  if (found == unclaimed_.end()) {
    awaited_.push_back(std::move(receive));
    return;
  }
  auto offer = std::move(*found);
  unclaimed_.erase(found);
  start_copy(std::move(receive), std::move(offer));
}

void Loopback::start_copy(Receive receive, std::shared_ptr<Offer> offer) {
  PENSTOCK_ASSERT(receive.bytes.size() == offer->size());
  receive.offer = std::move(offer);
  copying_.push_back(std::move(receive));
}

bool Loopback::progress(Receiver& receiver) {
  const bool opened = open_post(receiver);
  return copy_chunk(receiver) || opened;
}

/// What the receiver sends to its own rank meanwhile is for the next call, so that this one ends.
bool Loopback::open_post(Receiver& receiver) {
  if (opened_ == post_.items.size()) {
    post_.clear();
    opened_ = 0;
    own_.take(post_);
  }
  const bool any = opened_ < post_.items.size();
  while (opened_ < post_.items.size()) {
    const auto& item = post_.items[opened_++];
    std::visit([&](const auto& content) { open(content, receiver); }, item);
  }
  return any;
}

void Loopback::open(const Letter& letter, Receiver& receiver) {
  receiver.message(letter.from, std::span(post_.bytes).subspan(letter.offset, letter.size));
}

void Loopback::open(const std::shared_ptr<Offer>& offer, Receiver& /*receiver*/) {
  const auto found = std::ranges::find_if(awaited_, [&](const Receive& receive) {
    return receive.from == offer->sender() && receive.number == offer->number();
  });
  if (found == awaited_.end()) {
    unclaimed_.push_back(offer);
    return;
  }
  Receive receive = std::move(*found);
  awaited_.erase(found);
  start_copy(std::move(receive), offer);
}

void Loopback::open(const Taken& taken, Receiver& receiver) {
  const auto found = std::ranges::find_if(
      offered_, [&](const auto& offer) { return offer->receiver() == taken.by && offer->number() == taken.number; });
  PENSTOCK_ASSERT(found != offered_.end());
  offered_.erase(found);
  receiver.bulk_sent(taken.by, taken.number);
}

bool Loopback::copy_chunk(Receiver& receiver) {
  if (copying_.empty()) return false;
  Receive receive = std::move(copying_.front());
  copying_.pop_front();
  const auto chunk =
      receive.bytes.subspan(receive.copied, std::min(chunk_bytes, receive.bytes.size() - receive.copied));
  if (!receive.offer->copy(receive.copied, chunk)) {
    receive.offer.reset();
    awaited_.push_back(std::move(receive));  // its sender is gone: it stays under way for ever
    return true;
  }
  receive.copied += chunk.size();
  if (receive.copied < receive.bytes.size()) {
    copying_.push_back(std::move(receive));
    return true;
  }
  // Put before the receiver can ask for the next bulk of this number, so that the sender hears of the ends in order.
  mailbox(receive.from).put_taken({.by = rank_, .number = receive.number});
  receiver.bulk_received(receive.from, receive.number);
  return true;
}

void Loopback::wait(std::chrono::nanoseconds limit) {
  if (opened_ < post_.items.size() || !copying_.empty() || !own_.empty()) return;
  own_.bell().wait(limit);
}

}  // namespace

std::vector<std::unique_ptr<Transport>> make_loopback(int ranks) {
  PENSTOCK_ASSERT(ranks > 0);
  const auto mailboxes = std::make_shared<Mailboxes>(static_cast<std::size_t>(ranks));
  std::vector<std::unique_ptr<Transport>> group;
  for (int rank = 0; rank < ranks; ++rank) {
    group.push_back(std::make_unique<Loopback>(core::RankId{rank}, mailboxes));
  }
  return group;
}

}  // namespace penstock::transport
