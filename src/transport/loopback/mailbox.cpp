#include "transport/loopback/mailbox.hpp"

#include <cstring>
#include <utility>

namespace penstock::transport {

namespace {

/// A burst must not hold its memory for ever.
constexpr std::size_t kept_bytes_max = std::size_t{8} << 20;
constexpr std::size_t kept_items_max = std::size_t{1} << 16;

}  // namespace

bool Offer::copy(std::size_t offset, std::span<std::byte> to) const {
  const std::lock_guard lock(mutex_);
  if (withdrawn_) return false;
  if (!to.empty()) std::memcpy(to.data(), bytes_.data() + offset, to.size());
  return true;
}

void Offer::withdraw() {
  const std::lock_guard lock(mutex_);
  withdrawn_ = true;
}

void Post::clear() {
  items.clear();
  bytes.clear();
  if (items.capacity() > kept_items_max) items.shrink_to_fit();
  if (bytes.capacity() > kept_bytes_max) bytes.shrink_to_fit();
}

void Mailbox::put_message(core::RankId from, std::span<const std::byte> message) {
  {
    const std::lock_guard lock(mutex_);
    post_.items.emplace_back(Letter{.from = from, .offset = post_.bytes.size(), .size = message.size()});
    post_.bytes.insert(post_.bytes.end(), message.begin(), message.end());
  }
  bell_.ring();
}

void Mailbox::put_offer(std::shared_ptr<Offer> offer) {
  {
    const std::lock_guard lock(mutex_);
    post_.items.emplace_back(std::move(offer));
  }
  bell_.ring();
}

void Mailbox::put_taken(Taken taken) {
  {
    const std::lock_guard lock(mutex_);
    post_.items.emplace_back(taken);
  }
  bell_.ring();
}

void Mailbox::take(Post& post) {
  const std::lock_guard lock(mutex_);
  if (!post_.items.empty()) std::swap(post, post_);
}

bool Mailbox::empty() const {
  const std::lock_guard lock(mutex_);
  return post_.items.empty();
}

}  // namespace penstock::transport
