/// The trace of one rank in rank 0's time: what lasted (tasks and transfers) as slices in rows that a viewer can show,
/// one below the other. Made of what the reader found, once per reading; a value, pure. Events that make no sense, as a
/// damaged file may hold them, are left out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "observe/trace_clock.hpp"
#include "trace/reader.hpp"

namespace penstock::observe {

/// A task, a panel of one, or a transfer. In a row no two overlap, and times do not go back.
struct Slice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t row = 0;    ///< of RankTimeline::rows()
  std::uint32_t lane = 0;   ///< of the trace
  std::uint64_t event = 0;  ///< of the lane
};

struct CounterSample {
  core::CounterKind counter = core::CounterKind::ready;
  std::int64_t at_ns = 0;
  std::int64_t value = 0;
};

/// The order of the rows: cores, then queues of accelerators, then transfers.
enum class RowKind : std::uint8_t { core, queue, copies_in, copies_out, network_in, network_out };

/// A lane, or one of several where slices of a lane overlap in time, as transfers do.
struct Row {
  RowKind kind = RowKind::core;
  int device = 0;
  std::string name;
};

class RankTimeline {
 public:
  RankTimeline(std::shared_ptr<const trace::RankTrace> trace, const ClockMap& clock);

  [[nodiscard]] const trace::RankTrace& trace() const { return *trace_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// By row, then by time.
  [[nodiscard]] const std::vector<Slice>& tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<Slice>& transfers() const { return transfers_; }
  [[nodiscard]] const std::vector<CounterSample>& counters() const { return counters_; }

  [[nodiscard]] core::TaskEvent task(const Slice& slice) const { return core::task_of(head(slice)); }
  [[nodiscard]] core::TransferEvent transfer(const Slice& slice) const { return core::transfer_of(head(slice)); }
  /// A transfer between memories of the rank, not between ranks.
  [[nodiscard]] bool is_copy(const Slice& slice) const {
    return trace_->lanes[slice.lane].kind == trace::LaneKind::copies;
  }
  /// The access events that follow the slice's own.
  [[nodiscard]] std::span<const core::Event> accesses(const Slice& slice) const;

  /// The earliest slice or counter; absent: there are none.
  [[nodiscard]] std::optional<std::int64_t> begin_ns() const { return begin_ns_; }
  /// Where younger events have replaced older ones: from when on all lanes are complete.
  [[nodiscard]] std::optional<std::int64_t> complete_from_ns() const { return complete_from_ns_; }
  /// Events that made no sense.
  [[nodiscard]] std::uint64_t senseless() const { return senseless_; }

 private:
  [[nodiscard]] const core::Event& head(const Slice& slice) const {
    return trace_->lanes[slice.lane].events[slice.event];
  }
  void take_lane(std::uint32_t index, const ClockMap& clock);
  void take_counter(const core::Event& event, const ClockMap& clock);
  void note_time(std::int64_t at_ns);
  void note_loss(const trace::LaneEvents& lane, const ClockMap& clock);
  /// Rows for the slices of one lane or direction, `least` at least, named as `row` and numbered.
  void add_rows(std::span<Slice> slices, std::uint32_t least, const Row& row);
  void add_transfer_rows();

  std::shared_ptr<const trace::RankTrace> trace_;
  std::vector<Row> rows_;
  std::vector<Slice> tasks_;
  std::vector<Slice> transfers_;
  std::vector<CounterSample> counters_;
  std::optional<std::int64_t> begin_ns_;
  std::optional<std::int64_t> complete_from_ns_;
  std::uint64_t senseless_ = 0;
};

/// What compares the clock of this rank with rank 0's.
[[nodiscard]] std::vector<core::ClockEvent> clock_samples(const trace::RankTrace& trace);

}  // namespace penstock::observe
