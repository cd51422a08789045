/// Traces of ranks made by hand, as the reader would find them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event.hpp"
#include "trace/reader.hpp"

namespace penstock::observe {

inline core::AccessEvent reads(std::uint32_t data, std::uint64_t version, std::int64_t bytes = 8) {
  return {.access = core::AccessKind::read,
          .data = core::DataId(data),
          .reads = core::Version(version),
          .writes = core::Version(),
          .bytes = bytes};
}

inline core::AccessEvent writes(std::uint32_t data, std::uint64_t version, std::int64_t bytes = 8) {
  return {.access = core::AccessKind::write,
          .data = core::DataId(data),
          .reads = core::Version(),
          .writes = core::Version(version),
          .bytes = bytes};
}

/// Read-write in place: of `version`, making the next one.
inline core::AccessEvent updates(std::uint32_t data, std::uint64_t version, std::int64_t bytes = 8) {
  return {.access = core::AccessKind::consume,
          .data = core::DataId(data),
          .reads = core::Version(version),
          .writes = core::Version(version + 1),
          .bytes = bytes};
}

/// A rank with two cores (lanes 0 and 1), a driver (2) and a front-end (3), all of which have ended.
class TraceBuilder {
 public:
  explicit TraceBuilder(int rank = 0, int ranks = 1) {
    trace_.rank = rank;
    trace_.ranks = ranks;
    trace_.ended = true;
    trace_.description = R"({"host": "node", "boot": "one", "version": "1.2.3", "job": "blur",
        "kernels": ["add", "gemm"], "devices": [{"kind": "cpu", "name": "", "lanes": 2}],
        "families": [{"name": "A", "begin": [1, 0], "count": [2, 3]}, {"name": "B", "begin": [], "count": []}]})";
    trace_.lanes = {{.kind = trace::LaneKind::core, .device = 0, .name = "core 0", .dropped = 0, .events = {}},
                    {.kind = trace::LaneKind::core, .device = 0, .name = "core 1", .dropped = 0, .events = {}},
                    {.kind = trace::LaneKind::driver, .device = 0, .name = "driver", .dropped = 0, .events = {}},
                    {.kind = trace::LaneKind::front, .device = 0, .name = "front-end", .dropped = 0, .events = {}}};
  }

  TraceBuilder& put(std::size_t lane, const core::Event& event) {
    trace_.lanes[lane].events.push_back(event);
    return *this;
  }
  TraceBuilder& task(std::size_t lane, const core::TaskEvent& task,
                     const std::vector<core::AccessEvent>& accesses = {}) {
    put(lane, to_event(task));
    for (const core::AccessEvent& access : accesses) put(lane, to_event(access));
    return *this;
  }
  /// Of kernel "add", done at the first attempt.
  TraceBuilder& task(std::size_t lane, std::uint64_t id, std::int64_t begin_ns, std::int64_t end_ns,
                     const std::vector<core::AccessEvent>& accesses = {}) {
    return task(lane,
                {.task = core::TaskId(id),
                 .kernel = core::KernelId(0),
                 .attempt = core::Attempt(1),
                 .begin_ns = begin_ns,
                 .end_ns = end_ns},
                accesses);
  }
  TraceBuilder& transfer(core::Direction direction, int peer, std::int64_t begin_ns, std::int64_t end_ns,
                         const core::AccessEvent& access) {
    put(2, to_event(core::TransferEvent{
               .direction = direction, .peer = core::RankId(peer), .begin_ns = begin_ns, .end_ns = end_ns}));
    return put(2, to_event(access));
  }
  /// On a lane of its own, which is added, of accelerator 1.
  TraceBuilder& copy(core::Direction direction, std::int64_t begin_ns, std::int64_t end_ns,
                     const core::AccessEvent& access) {
    if (trace_.lanes.size() == 4) {
      trace_.lanes.push_back(
          {.kind = trace::LaneKind::copies, .device = 1, .name = "GPU 1 copies", .dropped = 0, .events = {}});
    }
    put(4, to_event(core::TransferEvent{
               .direction = direction, .peer = core::RankId(trace_.rank), .begin_ns = begin_ns, .end_ns = end_ns}));
    return put(4, to_event(access));
  }
  TraceBuilder& counter(core::CounterKind counter, std::int64_t at_ns, std::int64_t value) {
    return put(2, to_event(core::CounterEvent{.counter = counter, .at_ns = at_ns, .value = value}));
  }
  TraceBuilder& name(std::uint64_t task, std::string_view text) {
    put(3, core::name_event(core::TaskId(task)));
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), core::text_bytes_most))) {
      put(3, core::text_event(text.substr(0, core::text_bytes_most)));
    }
    return *this;
  }

  /// For what a test changes by hand.
  trace::RankTrace& rank() { return trace_; }
  [[nodiscard]] trace::RankTrace trace() const { return trace_; }
  [[nodiscard]] std::shared_ptr<const trace::RankTrace> shared() const {
    return std::make_shared<const trace::RankTrace>(trace_);
  }

 private:
  trace::RankTrace trace_;
};

}  // namespace penstock::observe
