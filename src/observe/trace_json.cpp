#include "observe/trace_json.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "core/outcome.hpp"
#include "observe/trace_arrows.hpp"

namespace penstock::observe {

namespace {

using core::AccessEvent;
using core::Direction;
using core::Version;

struct CounterText {
  std::string_view name;
  std::string_view unit;
};
constexpr std::array<CounterText, 4> counter_texts{
    {{"ready tasks", "tasks"}, {"tasks in flight", "tasks"}, {"bytes in flight", "bytes"}, {"memory", "bytes"}}};

std::string_view outcome_text(core::Outcome outcome) {
  return outcome <= core::Outcome::skipped ? core::name_of(outcome) : "unknown";
}

class TraceJson {
 public:
  TraceJson(const TraceRun& run, TextSink sink) : run_(run), text_(std::move(sink)) {}

  void write() {
    for (const TracedRank& rank : run_.ranks()) versions_.add(*run_.timeline(rank));
    versions_.sort();
    write_other_data();
    text_.add("\"traceEvents\":[");
    for (const TracedRank& rank : run_.ranks()) {
      const std::shared_ptr<const RankTimeline> timeline = run_.timeline(rank);
      write_names(rank, *timeline);
      for (const Slice& slice : timeline->tasks()) write_task(*timeline, slice);
      for (const Slice& slice : timeline->transfers()) write_transfer(*timeline, slice);
      for (const CounterSample& counter : timeline->counters()) write_counter(rank.rank, counter);
    }
    text_.add("\n]}\n");
    text_.flush();
  }

 private:
  void write_other_data();
  void write_names(const TracedRank& rank, const RankTimeline& timeline);
  void write_name(std::string_view what, int rank, std::uint32_t tid, std::string_view value);
  void write_task(const RankTimeline& timeline, const Slice& slice);
  void write_transfer(const RankTimeline& timeline, const Slice& slice);
  void write_counter(int rank, const CounterSample& counter);
  /// Up to the category.
  void begin_slice(const SliceEnd& slice);
  void write_accesses(std::string_view key, std::span<const core::Event> accesses, Version AccessEvent::*which);
  void write_version(core::DataId data, Version version, std::int64_t bytes);
  void write_arrow(const SliceEnd* from, const SliceEnd& to);
  void write_flow(std::string_view phase, const SliceEnd& slice, std::int64_t at_ns);
  /// Between two events.
  void next_event();

  [[nodiscard]] Micros since_begin(std::int64_t at_ns) const { return {at_ns - run_.begin_ns()}; }
  static SliceEnd end_of(const RankTimeline& timeline, const Slice& slice) {
    return {.rank = timeline.trace().rank, .row = slice.row, .begin_ns = slice.begin_ns, .end_ns = slice.end_ns};
  }

  const TraceRun& run_;
  TraceText text_;
  VersionIndex versions_;
  bool first_event_ = true;
  std::uint64_t arrows_ = 0;
};

void TraceJson::next_event() {
  text_.add(first_event_ ? "\n" : ",\n");
  first_event_ = false;
  text_.hand_on_much();
}

void TraceJson::write_other_data() {
  const RankDescription& description = run_.ranks().front().description;
  text_.add("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"job\":", json_quoted(description.job),
            ",\"version\":", json_quoted(description.version),
            ",\"complete_from_us\":", since_begin(run_.complete_from_ns()), ",\"dropped\":{");
  std::string_view comma;
  for (const TracedRank& rank : run_.ranks()) {
    if (rank.dropped == 0) continue;
    text_.add(comma, "\"", rank.rank, "\":", rank.dropped);
    comma = ",";
  }
  text_.add("},\"not_ended\":[");
  comma = {};
  for (const TracedRank& rank : run_.ranks()) {
    if (rank.ended) continue;
    text_.add(comma, rank.rank);
    comma = ",";
  }
  text_.add("]},\n");
}

void TraceJson::write_names(const TracedRank& rank, const RankTimeline& timeline) {
  const std::string host = rank.description.host.empty() ? "" : " (" + rank.description.host + ")";
  write_name("process_name", rank.rank, 0, "\"name\":" + json_quoted("rank " + std::to_string(rank.rank) + host));
  write_name("process_sort_index", rank.rank, 0, "\"sort_index\":" + std::to_string(rank.rank));
  for (std::uint32_t row = 0; row < timeline.rows().size(); ++row) {
    write_name("thread_name", rank.rank, row + 1, "\"name\":" + json_quoted(timeline.rows()[row].name));
    write_name("thread_sort_index", rank.rank, row + 1, "\"sort_index\":" + std::to_string(row + 1));
  }
}

void TraceJson::write_name(std::string_view what, int rank, std::uint32_t tid, std::string_view value) {
  next_event();
  text_.add("{\"ph\":\"M\",\"pid\":", rank, ",\"tid\":", tid, ",\"name\":\"", what, "\",\"args\":{", value, "}}");
}

void TraceJson::begin_slice(const SliceEnd& slice) {
  next_event();
  text_.add("{\"ph\":\"X\",\"pid\":", slice.rank, ",\"tid\":", slice.row + 1, ",\"ts\":", since_begin(slice.begin_ns),
            ",\"dur\":", Micros{slice.end_ns - slice.begin_ns});
}

void TraceJson::write_task(const RankTimeline& timeline, const Slice& slice) {
  const core::TaskEvent task = timeline.task(slice);
  const std::span<const core::Event> accesses = timeline.accesses(slice);
  const std::string_view kernel = run_.names().kernel(task.kernel);
  const std::string_view own_name = run_.names().task(task.task);
  const SliceEnd end = end_of(timeline, slice);
  begin_slice(end);
  text_.add(",\"cat\":\"task\",\"name\":", own_name.empty() ? kernel : own_name,
            ",\"args\":{\"task\":", task.task.value(), ",\"kernel\":", kernel, ",\"attempt\":", task.attempt.value(),
            ",\"panel\":", task.panel, ",\"panels\":", task.panel_count, ",\"outcome\":\"", outcome_text(task.outcome),
            "\"");
  write_accesses(",\"reads\":[", accesses, &AccessEvent::reads);
  write_accesses(",\"writes\":[", accesses, &AccessEvent::writes);
  text_.add("}}");
  for (const core::Event& event : accesses) {
    const AccessEvent access = core::access_of(event);
    if (access.reads != Version()) write_arrow(versions_.source_on(end.rank, access.data, access.reads), end);
  }
}

void TraceJson::write_accesses(std::string_view key, std::span<const core::Event> accesses,
                               Version AccessEvent::*which) {
  std::string_view before = key;
  for (const core::Event& event : accesses) {
    const AccessEvent access = core::access_of(event);
    if (access.*which == Version()) continue;
    text_.add(before);
    write_version(access.data, access.*which, access.bytes);
    before = ",";
  }
  if (before != key) text_.add("]");
}

void TraceJson::write_version(core::DataId data, Version version, std::int64_t bytes) {
  text_.add("{\"data\":");
  run_.names().write_data(data, version, text_);
  text_.add(",\"id\":", data.value(), ",\"version\":", version.value(), ",\"bytes\":", bytes, "}");
}

void TraceJson::write_transfer(const RankTimeline& timeline, const Slice& slice) {
  const core::TransferEvent transfer = timeline.transfer(slice);
  const std::span<const core::Event> accesses = timeline.accesses(slice);
  const SliceEnd end = end_of(timeline, slice);
  const bool in = transfer.direction == Direction::in;
  begin_slice(end);
  text_.add(",\"cat\":\"transfer\",\"name\":");
  if (accesses.empty()) {
    text_.add(timeline.is_copy(slice) ? "\"copy\"" : in ? "\"receive\"" : "\"send\"");
  } else {
    const AccessEvent access = core::access_of(accesses.front());
    run_.names().write_data(access.data, access.reads, text_);
  }
  text_.add(",\"args\":{", in ? "\"from\":" : "\"to\":", transfer.peer.value());
  write_accesses(",\"versions\":[", accesses, &AccessEvent::reads);
  text_.add("}}");
  if (timeline.is_copy(slice)) return;
  for (const core::Event& event : accesses) {
    const AccessEvent access = core::access_of(event);
    const SliceEnd* const sending = in ? versions_.sending(access.data, access.reads, end.rank) : nullptr;
    if (sending != nullptr)
      write_arrow(sending, end);
    else
      write_arrow(
          in ? versions_.maker(access.data, access.reads) : versions_.source_on(end.rank, access.data, access.reads),
          end);
  }
}

void TraceJson::write_counter(int rank, const CounterSample& counter) {
  const CounterText& text = counter_texts[static_cast<std::size_t>(counter.counter)];
  next_event();
  text_.add("{\"ph\":\"C\",\"pid\":", rank, ",\"ts\":", since_begin(counter.at_ns), ",\"name\":\"", text.name,
            "\",\"args\":{\"", text.unit, "\":", counter.value, "}}");
}

void TraceJson::write_arrow(const SliceEnd* from, const SliceEnd& to) {
  if (from == nullptr) return;
  const std::optional<Arrow> arrow = arrow_between(*from, to);
  if (!arrow) return;
  ++arrows_;
  write_flow("\"s\"", arrow->from, arrow->from_ns);
  write_flow("\"f\",\"bp\":\"e\"", arrow->to, arrow->to_ns);
}

void TraceJson::write_flow(std::string_view phase, const SliceEnd& slice, std::int64_t at_ns) {
  next_event();
  text_.add("{\"ph\":", phase, ",\"id\":", arrows_, ",\"pid\":", slice.rank, ",\"tid\":", slice.row + 1,
            ",\"ts\":", since_begin(at_ns), ",\"cat\":\"data\",\"name\":\"data\"}");
}

}  // namespace

void write_trace_json(const TraceRun& run, TextSink sink) { TraceJson(run, std::move(sink)).write(); }

}  // namespace penstock::observe
