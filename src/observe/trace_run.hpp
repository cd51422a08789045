/// The trace of a whole run as it lies in its folder: which ranks left one, what their clocks show, and what is wrong.
/// Works after any end of the run, and while it goes on. One thread; blocks on the disk.
///
/// Memory: an event of a timeline takes 32 bytes, and a task or transfer as much again. Timelines are kept as long as
/// there are no more than kept_events_most in them, about 100 MB; the others are made anew, one at a time, whenever one
/// is asked for. Those of ranks that have not ended in order are kept however large they are, since a rank that still
/// runs would meanwhile replace its events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "observe/trace_clock.hpp"
#include "observe/trace_names.hpp"
#include "observe/trace_timeline.hpp"
#include "trace/reader.hpp"

namespace penstock::observe {

inline constexpr std::uint64_t kept_events_most = 2'000'000;

struct TracedRank {
  int rank = 0;
  std::filesystem::path file;  ///< empty: not of a file, and kept
  RankDescription description;
  ClockMap clock;
  bool ended = false;
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;      ///< events that younger ones have replaced
  std::uint64_t task_events = 0;  ///< tasks and panels
  std::shared_ptr<const RankTimeline> kept;
};

class TraceRun {
 public:
  /// The traces of the folder, or of the folder `trace` in it. Throws Error (environment) when none can be read.
  explicit TraceRun(const std::filesystem::path& folder);
  /// Of traces in memory.
  explicit TraceRun(std::vector<trace::RankTrace> traces);

  /// By rank; those that could be read.
  [[nodiscard]] const std::vector<TracedRank>& ranks() const { return ranks_; }
  [[nodiscard]] const RunNames& names() const { return names_; }
  [[nodiscard]] std::string kernel_name(core::KernelId kernel) const;
  /// What is wrong, a line each: ranks without a trace, damage, clocks that were not compared.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  /// The earliest event, in rank 0's time.
  [[nodiscard]] std::int64_t begin_ns() const { return begin_ns_.value_or(0); }
  /// From when on no rank has lost events; begin_ns() where none has at all.
  [[nodiscard]] std::int64_t complete_from_ns() const {
    return std::max(complete_from_ns_.value_or(begin_ns()), begin_ns());
  }
  [[nodiscard]] std::uint64_t events() const { return sum(&TracedRank::events); }
  [[nodiscard]] std::uint64_t dropped() const { return sum(&TracedRank::dropped); }
  [[nodiscard]] std::uint64_t task_events() const { return sum(&TracedRank::task_events); }

  /// Throws Error (environment) when the file cannot be read any more.
  [[nodiscard]] std::shared_ptr<const RankTimeline> timeline(const TracedRank& rank) const;

 private:
  void add(std::shared_ptr<const trace::RankTrace> trace, const std::filesystem::path& file);
  [[nodiscard]] RankDescription description_of(const trace::RankTrace& trace);
  void refer_to(const TracedRank& rank, const trace::RankTrace& trace);
  [[nodiscard]] ClockMap clock_of(const TracedRank& rank, const trace::RankTrace& trace);
  void note(const TracedRank& rank, const RankTimeline& timeline);
  void look_for_missing_ranks(const std::set<int>& unreadable);
  [[nodiscard]] std::uint64_t sum(std::uint64_t TracedRank::*count) const;

  /// What the first rank that could be read says; rank 0 unless it is missing.
  struct Reference {
    int rank = 0;
    int ranks = 1;
    std::string boot;
    std::int64_t unix_minus_steady_ns = 0;
  };
  std::optional<Reference> reference_;
  std::uint64_t kept_events_ = 0;
  std::vector<TracedRank> ranks_;
  RunNames names_;
  std::vector<std::string> warnings_;
  std::optional<std::int64_t> begin_ns_;
  std::optional<std::int64_t> complete_from_ns_;
};

}  // namespace penstock::observe
