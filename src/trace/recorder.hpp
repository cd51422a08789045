/// The trace of one rank while it runs: a file of rings, mapped into memory. Made and ended by the rank's session; each
/// lane is written by one thread at a time, at the price of a few stores and without a system call. What was written
/// survives the process, however it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/event.hpp"

namespace penstock::trace {

/// How many events may lie in a ring that are not yet to be seen.
inline constexpr std::uint64_t unpublished_most = 64;

/// What a lane is a lane of.
enum class LaneKind : std::uint32_t {
  core = 0,     ///< a worker of the cores
  queue = 1,    ///< a queue of an accelerator
  driver = 2,   ///< the thread that moves data: transfers, counters, clocks
  front = 3,    ///< the front-end: names of data
  program = 4,  ///< a thread of the program, which runs tasks on a core that is a worker's too
  copies = 5,   ///< transfers to the memory of an accelerator, and from it
};
inline constexpr LaneKind last_lane_kind = LaneKind::copies;

/// Whether its events are of tasks.
constexpr bool runs_tasks(LaneKind kind) {
  return kind == LaneKind::core || kind == LaneKind::queue || kind == LaneKind::program;
}

struct LaneDescription {
  LaneKind kind = LaneKind::core;
  int device = 0;    ///< of core, queue and copies
  std::string name;  ///< for people; at most 63 bytes are kept
};

/// The writing end of one ring. Not for two threads at once.
class Lane {
 public:
  Lane(core::Event* slots, std::uint64_t count, std::atomic<std::uint64_t>& written)
      : slots_(slots), mask_(count - 1), published_(written) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Adds an event that need not yet be seen: publish() shows all of them, so that those that belong together come
  /// together. Every so often it publishes by itself: a reader knows how many of the oldest may be overwritten.
  void put(const core::Event& event) {
    slots_[written_++ & mask_] = event;
    if (written_ % unpublished_most == 0) publish();
  }
  void publish() {
    published_.store(written_, std::memory_order_release);
    // What is put next may be seen only after this count, or a reader would trust a slot that it overwrites.
    std::atomic_thread_fence(std::memory_order_release);
  }
  void record(const core::Event& event) {
    put(event);
    publish();
  }

 private:
  core::Event* const slots_;
  const std::uint64_t mask_;
  std::uint64_t written_ = 0;
  std::atomic<std::uint64_t>& published_;
};

class Recorder {
 public:
  struct Options {
    std::filesystem::path file;
    std::int64_t bytes = 0;  ///< of all rings together; each gets an equal share, rounded down to a power of two
    int rank = 0;
    int ranks = 1;
    std::int64_t start_ns = 0;       ///< now, on the steady clock
    std::int64_t start_unix_ns = 0;  ///< now, on the wall clock
    std::vector<LaneDescription> lanes;
    std::string_view description;  ///< JSON of this rank
  };
  static constexpr std::int64_t lane_bytes_least = 64 << 10;

  /// Makes the file anew with mode 0600 and reserves its space, so that a full disk is noticed here and not while
  /// writing. Throws Error (environment), one line with the file and the reason.
  explicit Recorder(const Options& options);
  /// Marks the trace as ended and gives the file back.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// By its place in Options::lanes.
  [[nodiscard]] Lane& lane(std::size_t index) { return lanes_[index]; }
  [[nodiscard]] std::size_t lanes() const { return lanes_.size(); }
  /// Replaces the description; one that is too long for its place is left out. Not while another thread does.
  void describe(std::string_view description);

 private:
  void give_back_unused() const;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::deque<Lane> lanes_;
};

}  // namespace penstock::trace
