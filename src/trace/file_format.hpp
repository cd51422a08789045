/// How a trace lies on disk: one file a rank, mapped into memory by who writes it, so that what was written is there
/// even when the process was killed. A header, a description of the rank as JSON text, then one ring of events for each
/// lane. Native byte order; a reader checks every number. Only the recorder and the reader look in here.
///
///     FileHeader | LaneHeader x lanes | description | ring of lane 0 | ring of lane 1 | ...
///
/// A ring that is full overwrites its oldest events: `written` counts on, and what is lost is written - slots.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/event.hpp"

namespace penstock::trace {

inline constexpr std::array<char, 8> magic{'p', 'e', 'n', 's', 't', 'o', 'c', 'k'};
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::size_t page = 4096;
inline constexpr std::size_t description_most = std::size_t{256} << 10;
inline constexpr std::size_t lanes_most = 4096;

struct FileHeader {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t event_bytes = 0;
  std::uint32_t lanes = 0;
  std::int32_t rank = 0;
  std::int32_t ranks = 0;
  std::uint32_t description_bytes = 0;  ///< of the JSON text
  std::uint64_t slots = 0;              ///< of each ring, a power of two
  std::int64_t start_ns = 0;            ///< steady clock when the file was made
  std::int64_t start_unix_ns = 0;       ///< wall clock at the same time
  std::uint64_t ended = 0;              ///< 1: the rank ended in order and nothing follows
};

struct alignas(128) LaneHeader {
  std::atomic<std::uint64_t> written{0};  ///< slots so far; release after the slots, acquire by the reader
  std::uint32_t kind = 0;
  std::int32_t device = 0;
  std::array<char, 64> name{};  ///< ends with a zero
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr std::size_t lane_headers_begin() { return page; }
constexpr std::size_t rounded_to_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }
constexpr std::size_t description_begin(std::size_t lanes) {
  return lane_headers_begin() + rounded_to_pages(lanes * sizeof(LaneHeader));
}
constexpr std::size_t ring_begin(std::size_t lanes, std::size_t slots, std::size_t lane) {
  return description_begin(lanes) + description_most + lane * rounded_to_pages(slots * sizeof(core::Event));
}
constexpr std::size_t file_bytes(std::size_t lanes, std::size_t slots) { return ring_begin(lanes, slots, lanes); }

}  // namespace penstock::trace
