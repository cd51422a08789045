#include "transport/peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace penstock::transport::testing {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view meet_text = "all ranks meet\x01\x02";

/// SplitMix64 at position `at`.
std::uint64_t word(std::uint64_t key, std::uint64_t at) {
  std::uint64_t x = key * 0x9E3779B97F4A7C15u + (at + 1) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 31);
}

}  // namespace

bool Peer::pump_until(const std::function<bool()>& done, const std::string& what) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!done()) {
    if (transport_.progress(*this)) continue;
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "rank " << rank() << " waited a minute for " << what;
      return false;
    }
    transport_.wait(1ms);
  }
  return true;
}

void Peer::meet() {
  ++meetings_;
  for (int to = 0; to < ranks(); ++to) send(to, std::as_bytes(std::span(meet_text)));
  const auto all_here = [&] { return std::ranges::all_of(met_, [&](int times) { return times >= meetings_; }); };
  static_cast<void>(pump_until(all_here, "the other ranks"));
}

void Peer::synchronise() {
  meet();
  static_cast<void>(pump_until([&] { return !transport_.busy(); }, "the end of its transfers"));
}

void Peer::message(core::RankId from, std::span<const std::byte> message) {
  const auto meeting = std::as_bytes(std::span(meet_text));
  if (std::ranges::equal(message, meeting)) {
    ++met_[static_cast<std::size_t>(from.value())];
  } else if (on_message) {
    on_message(from.value(), message);
  } else {
    inbox(from.value()).emplace_back(message.begin(), message.end());
  }
}

void Peer::bulk_sent(core::RankId to, BulkNumber number) {
  sent_[static_cast<std::size_t>(to.value())].push_back(number);
}

void Peer::bulk_received(core::RankId from, BulkNumber number) {
  received_[static_cast<std::size_t>(from.value())].push_back(number);
  if (on_bulk_received) on_bulk_received(from.value(), number);
}

Bytes pattern(std::size_t size, std::uint64_t key) {
  Bytes bytes(size);
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t value = word(key, at);
    std::memcpy(bytes.data() + at, &value, std::min(sizeof(value), size - at));
  }
  return bytes;
}

bool is_pattern(std::span<const std::byte> bytes, std::uint64_t key) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t value = word(key, at);
    if (std::memcmp(bytes.data() + at, &value, std::min(sizeof(value), bytes.size() - at)) != 0) return false;
  }
  return true;
}

}  // namespace penstock::transport::testing
