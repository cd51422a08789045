#include "observe/trace_run.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <penstock/error.hpp>

namespace penstock::observe {

namespace {

constexpr std::int64_t missing_told = 8;

std::filesystem::path folder_of_traces(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path below = folder / "trace";
  return std::filesystem::is_directory(below, error) ? below : folder;
}

/// By the file's name; -1 where it does not say.
int rank_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::string_view number = std::string_view(name).substr(std::min(name.find('-') + 1, name.size()));
  int rank = -1;
  std::from_chars(number.data(), number.data() + number.size(), rank);
  return rank;
}

/// Of clocks that a damaged file may hold.
std::int64_t unix_minus_steady(const trace::RankTrace& trace) {
  return std::clamp(trace.start_unix_ns, -time_most_ns, 4 * time_most_ns) -
         std::clamp<std::int64_t>(trace.start_ns, 0, time_most_ns);
}

}  // namespace

TraceRun::TraceRun(const std::filesystem::path& folder) {
  const std::filesystem::path traces = folder_of_traces(folder);
  const std::vector<std::filesystem::path> files = trace::files_in(traces);
  std::set<int> unreadable;
  for (const std::filesystem::path& file : files) {
    try {
      add(std::make_shared<const trace::RankTrace>(trace::read(file)), file);
    } catch (const Error& error) {
      warnings_.emplace_back(error.what());
      unreadable.insert(rank_of(file));
    }
  }
  if (ranks_.empty()) {
    throw Error(ErrorCode::environment,
                files.empty() ? traces.string() + " holds no trace of penstock" : warnings_.front());
  }
  look_for_missing_ranks(unreadable);
}

TraceRun::TraceRun(std::vector<trace::RankTrace> traces) {
  for (trace::RankTrace& trace : traces) add(std::make_shared<const trace::RankTrace>(std::move(trace)), {});
  look_for_missing_ranks({});
}

void TraceRun::add(std::shared_ptr<const trace::RankTrace> trace, const std::filesystem::path& file) {
  if (std::ranges::find(ranks_, trace->rank, &TracedRank::rank) != ranks_.end()) {
    throw Error(ErrorCode::environment, fmt::format("{}: is a second trace of rank {}", file.string(), trace->rank));
  }
  TracedRank rank{.rank = trace->rank,
                  .file = file,
                  .description = description_of(*trace),
                  .clock = {},
                  .ended = trace->ended,
                  .kept = nullptr};
  if (!reference_) refer_to(rank, *trace);
  rank.clock = clock_of(rank, *trace);
  for (const trace::LaneEvents& lane : trace->lanes) {
    rank.events += lane.events.size();
    rank.dropped += lane.dropped;
  }
  const auto timeline = std::make_shared<const RankTimeline>(std::move(trace), rank.clock);
  rank.task_events = timeline->tasks().size();
  note(rank, *timeline);
  if (file.empty() || !rank.ended || kept_events_ + rank.events <= kept_events_most) {
    kept_events_ += rank.events;
    rank.kept = timeline;
  }
  ranks_.push_back(std::move(rank));
}

RankDescription TraceRun::description_of(const trace::RankTrace& trace) {
  std::optional<RankDescription> description = parse_description(trace.description);
  if (description) return std::move(*description);
  warnings_.push_back(fmt::format("rank {} does not say what it is: its names are missing", trace.rank));
  return {};
}

void TraceRun::refer_to(const TracedRank& rank, const trace::RankTrace& trace) {
  reference_ = Reference{.rank = rank.rank,
                         .ranks = trace.ranks,
                         .boot = rank.description.boot,
                         .unix_minus_steady_ns = unix_minus_steady(trace)};
  names_.take(rank.description, trace);
}

ClockMap TraceRun::clock_of(const TracedRank& rank, const trace::RankTrace& trace) {
  const bool same_clock = !rank.description.boot.empty() && rank.description.boot == reference_->boot;
  if (rank.rank == reference_->rank || same_clock) return ClockMap();
  // Comparisons are with rank 0: they say nothing where its own times are missing.
  if (reference_->rank == 0) {
    if (const auto fitted = ClockMap::fitted(clock_samples(trace))) return *fitted;
  }
  warnings_.push_back(fmt::format(
      "the clock of rank {} was not compared: its times are those of its wall clock, which may be off", rank.rank));
  return ClockMap(unix_minus_steady(trace) - reference_->unix_minus_steady_ns);
}

void TraceRun::note(const TracedRank& rank, const RankTimeline& timeline) {
  if (const auto begin_ns = timeline.begin_ns()) begin_ns_ = std::min(begin_ns_.value_or(*begin_ns), *begin_ns);
  if (const auto from_ns = timeline.complete_from_ns()) {
    complete_from_ns_ = std::max(complete_from_ns_.value_or(*from_ns), *from_ns);
  }
  if (timeline.senseless() > 0) {
    warnings_.push_back(
        fmt::format("rank {}: {} events make no sense and are left out", rank.rank, timeline.senseless()));
  }
}

void TraceRun::look_for_missing_ranks(const std::set<int>& unreadable) {
  std::set<int> known = unreadable;
  for (const TracedRank& rank : ranks_) known.insert(rank.rank);
  const int count = reference_ ? reference_->ranks : 0;
  const auto missing = count - std::distance(known.lower_bound(0), known.lower_bound(count));
  std::int64_t told = 0;
  for (int rank = 0; told < std::min(missing, missing_told); ++rank) {
    if (known.contains(rank)) continue;
    warnings_.push_back(fmt::format("rank {} left no trace", rank));
    ++told;
  }
  if (missing > told) warnings_.push_back(fmt::format("nor did {} more ranks", missing - told));
}

std::string TraceRun::kernel_name(core::KernelId kernel) const {
  const std::vector<std::string>& names = ranks_.front().description.kernels;
  return kernel.value() < names.size() ? names[kernel.value()] : "unknown kernel";
}

std::uint64_t TraceRun::sum(std::uint64_t TracedRank::*count) const {
  std::uint64_t sum = 0;
  for (const TracedRank& rank : ranks_) sum += rank.*count;
  return sum;
}

std::shared_ptr<const RankTimeline> TraceRun::timeline(const TracedRank& rank) const {
  if (rank.kept) return rank.kept;
  return std::make_shared<const RankTimeline>(std::make_shared<const trace::RankTrace>(trace::read(rank.file)),
                                              rank.clock);
}

}  // namespace penstock::observe
