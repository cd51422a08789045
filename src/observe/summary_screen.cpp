#include <algorithm>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "observe/summary.hpp"
#include "observe/table.hpp"
#include "observe/units.hpp"

namespace penstock::observe {

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t head_and_failure_lines_max = 14;  // what the largest table leaves
constexpr std::size_t folded_lines_per_kind = 3;

std::string percent_text(double share) { return fmt::format("{:.1f} %", share * 100.0); }

void append_count(std::uint64_t count, const char* name, std::string& text) {
  if (count > 0) text += fmt::format(", {} {}", count, name);
}

/// The names of the files, each with the beginning of its hash, as far as they fit.
std::string plugins_line(const RunSummary& run) {
  constexpr std::size_t hash_digits = 12;
  std::string line = "  plugins  ";
  for (const PluginSummary& plugin : run.plugins) {
    if (&plugin != &run.plugins.front()) line += ", ";
    line +=
        fmt::format("{} ({})", plugin.path.substr(plugin.path.rfind('/') + 1), plugin.sha256.substr(0, hash_digits));
  }
  return line;
}

std::string work_text(const TraceNumbers& trace) {
  int lanes = 0;
  for (const RankShare& rank : trace.ranks) {
    for (const DeviceShare& device : rank.devices) lanes += device.lanes;
  }
  const CriticalPath& path = trace.critical_path;
  std::string text = fmt::format("  work     {:.1f} of {} lanes busy, critical path {} of {}", trace.parallelism, lanes,
                                 duration_text(path.s), duration_text(trace.span_s));
  if (path.tasks > 0) text += fmt::format(": {} task{}", path.tasks, path.tasks == 1 ? "" : "s");
  if (!path.kernels.empty()) text += fmt::format(", mostly {}", clipped(path.kernels.front().kernel, 24));
  return text;
}

/// Transfers, and what the trace has lost; empty: neither.
std::string transfer_text(const TraceNumbers& trace) {
  std::string text;
  if (trace.overlap) {
    text = fmt::format("  moved    {} in {} transfers, {} beside computing", bytes_text(trace.transfer_bytes),
                       trace.transfers, percent_text(*trace.overlap));
  }
  if (trace.dropped > 0) {
    text +=
        fmt::format("{}the trace covers the last {}", text.empty() ? "  trace    " : "; ", duration_text(trace.span_s));
  }
  return text;
}

Lines head_lines(const RunSummary& run) {
  std::string tasks = fmt::format("  tasks    {} done", run.tasks_done);
  append_count(run.tasks_failed, "failed", tasks);
  append_count(run.tasks_skipped, "skipped", tasks);
  append_count(run.tasks_cancelled, "cancelled", tasks);
  append_count(run.tasks_not_started, "not started", tasks);
  std::string time = fmt::format("  time     {}", duration_text(run.wall_s));
  if (run.wall_s > 0.0) time += fmt::format(", {}", rate_text(static_cast<double>(run.tasks_done) / run.wall_s));
  Lines lines{fmt::format("{}: {}", run.job, run.verdict), tasks, time};
  if (run.trace && run.trace->events > 0) {
    lines.push_back(work_text(*run.trace));
    if (const std::string moved = transfer_text(*run.trace); !moved.empty()) lines.push_back(moved);
  }
  if (run.results_saved > 0) lines.push_back(fmt::format("  saved    {} arrays", run.results_saved));
  if (run.results_saved == 1) lines.back() = "  saved    1 array";
  if (!run.plugins.empty()) lines.push_back(plugins_line(run));
  if (!run.run_folder.empty()) lines.push_back(fmt::format("  folder   {}", run.run_folder));
  for (std::string& line : lines) line = clipped(line, screen_columns);
  return lines;
}

/// The failures that fit in `lines_max` lines, with a line for those that are not shown.
Lines failure_lines(const RunSummary& run, std::size_t lines_max) {
  Lines lines;
  std::uint64_t hidden = run.failures_omitted;
  for (const FailureLine& failure : run.failures) {
    const std::size_t left = lines_max - 1 - std::min(lines.size(), lines_max - 1);  // one is kept for "and more"
    if (left == 0) {
      ++hidden;
      continue;
    }
    for (const std::string& line : wrapped(failure.message, screen_columns - 4, left))
      lines.push_back(fmt::format("  {}", line));
  }
  if (hidden > 0) lines.push_back(fmt::format("  ... and {} more failed", hidden));
  return lines;
}

std::vector<Column> columns_with(std::string first, std::string second) {
  return {{std::move(first), Align::right}, {std::move(second), Align::left, 15},
          {"device", Align::left, 22},      {"lanes", Align::right},
          {"tasks", Align::right},          {"busy", Align::right},
          {"sent", Align::right},           {"received", Align::right}};
}

std::string device_text(const RankSummary& rank, const DeviceSummary& device) {
  if (!device.name.empty()) return fmt::format("{} {}", device.kind, device.name);
  if (device.kind == "cpu" && !rank.cores.empty()) return fmt::format("cpu {}", rank.cores);
  return device.kind;
}

/// A row per rank and device; what belongs to the rank stands in its first row.
std::string full_table(const RunSummary& run) {
  Table table(columns_with("rank", "host"));
  for (const RankSummary& rank : run.ranks) {
    std::vector<std::string> ends{bytes_text(rank.bytes_sent), bytes_text(rank.bytes_received)};
    std::vector<std::string> begin{std::to_string(rank.rank), rank.host};
    if (rank.devices.empty()) table.add({begin[0], begin[1], "none", "", "", "", ends[0], ends[1]});
    for (const DeviceSummary& device : rank.devices) {
      table.add({begin[0], begin[1], device_text(rank, device), std::to_string(device.lanes),
                 std::to_string(device.tasks), percent_text(device.busy_share(run.wall_s)), ends[0], ends[1]});
      begin.assign(2, "");
      ends.assign(2, "");
    }
  }
  return table.to_text(2);
}

/// The values of one column, to be asked for their least, median and greatest.
template <class T>
class Spread {
 public:
  void add(T value) { values_.push_back(value); }
  void sort() { std::ranges::sort(values_); }
  /// 0: least, 1: median (the lower one of two), 2: greatest.
  [[nodiscard]] T at(std::size_t which) const {
    if (values_.empty()) return T{};
    const std::size_t last = values_.size() - 1;
    return values_[which == 0 ? 0 : which == 1 ? last / 2 : last];
  }

 private:
  std::vector<T> values_;
};

struct KindSpread {
  std::string kind;
  Spread<int> lanes;
  Spread<std::uint64_t> tasks;
  Spread<double> busy;
};

std::vector<KindSpread> spread_by_kind(const RunSummary& run) {
  std::vector<KindSpread> kinds;
  for (const RankSummary& rank : run.ranks) {
    for (const DeviceSummary& device : rank.devices) {
      auto found = std::ranges::find(kinds, device.kind, &KindSpread::kind);
      if (found == kinds.end()) found = kinds.insert(kinds.end(), KindSpread{device.kind, {}, {}, {}});
      found->lanes.add(device.lanes);
      found->tasks.add(device.tasks);
      found->busy.add(device.busy_share(run.wall_s));
    }
  }
  for (KindSpread& kind : kinds) {
    kind.lanes.sort();
    kind.tasks.sort();
    kind.busy.sort();
  }
  return kinds;
}

std::string folded_table(const RunSummary& run) {
  Spread<std::uint64_t> sent;
  Spread<std::uint64_t> received;
  for (const RankSummary& rank : run.ranks) {
    sent.add(rank.bytes_sent);
    received.add(rank.bytes_received);
  }
  sent.sort();
  received.sort();
  Table table(columns_with("ranks", "of each"));
  bool first = true;
  for (const KindSpread& kind : spread_by_kind(run)) {
    constexpr const char* names[] = {"least", "median", "greatest"};
    for (std::size_t i = 0; i < folded_lines_per_kind; ++i) {
      table.add({first && i == 0 ? std::to_string(run.ranks.size()) : "", names[i], kind.kind,
                 std::to_string(kind.lanes.at(i)), std::to_string(kind.tasks.at(i)), percent_text(kind.busy.at(i)),
                 first ? bytes_text(sent.at(i)) : "", first ? bytes_text(received.at(i)) : ""});
    }
    first = false;
  }
  return table.to_text(2);
}

/// Where to look when one device of many was idle.
std::string least_busy_line(const RunSummary& run) {
  std::string line;
  double least = 2.0;
  for (const RankSummary& rank : run.ranks) {
    for (const DeviceSummary& device : rank.devices) {
      const double share = device.busy_share(run.wall_s);
      if (share >= least) continue;
      least = share;
      line = fmt::format("  least busy: rank {} on {}, {}, {}", rank.rank, clipped(rank.host, 24),
                         clipped(device_text(rank, device), 32), percent_text(share));
    }
  }
  return line;
}

std::size_t full_table_lines(const RunSummary& run) {
  std::size_t lines = 1;
  for (const RankSummary& rank : run.ranks) lines += std::max<std::size_t>(rank.devices.size(), 1);
  return lines;
}

/// What came to the memory of each GPU and left it, and why one that ran nothing did not; as far as there is room.
Lines gpu_lines(const RunSummary& run, std::size_t room) {
  Lines lines;
  for (const RankSummary& rank : run.ranks) {
    for (const DeviceSummary& device : rank.devices) {
      if (device.kind == "cpu") continue;
      const std::string where = run.ranks.size() > 1 ? fmt::format("rank {}, ", rank.rank) : "";
      if (device.bytes_in + device.bytes_out > 0) {
        lines.push_back(fmt::format("  {}{}: {} in, {} out, {} evictions", where, clipped(device.name, 32),
                                    bytes_text(device.bytes_in), bytes_text(device.bytes_out), device.evictions));
      }
      if (device.tasks > 0 || device.why_idle.empty()) continue;
      for (const std::string& line : wrapped(where + device.why_idle, screen_columns - 2, 2))
        lines.push_back("  " + line);
    }
  }
  if (lines.size() > room) lines.clear();
  return lines;
}

void append_block(const Lines& lines, std::string& text) {
  if (lines.empty()) return;
  text += "\n";
  for (const std::string& line : lines) text += line + "\n";
}

}  // namespace

double DeviceSummary::busy_share(double wall_s) const {
  const double available_s = wall_s * lanes;
  return available_s > 0.0 ? std::clamp(busy_s / available_s, 0.0, 1.0) : 0.0;
}

std::string to_screen(const RunSummary& run) {
  const Lines head = head_lines(run);
  std::string text;
  for (const std::string& line : head) text += line + "\n";

  const Lines failures = failure_lines(run, head_and_failure_lines_max - head.size());
  const std::size_t blanks = failures.empty() ? 1 : 2;
  const std::size_t used = head.size() + failures.size() + blanks;
  if (run.ranks.empty()) {
    append_block(failures, text);
  } else if (used + full_table_lines(run) <= screen_lines) {
    text += fmt::format("\n{}", full_table(run));
    const std::size_t table_lines = used + full_table_lines(run);
    append_block(gpu_lines(run, screen_lines - std::min(screen_lines, table_lines + 1)), text);
    append_block(failures, text);
  } else {
    text += fmt::format("\n{}{}\n", folded_table(run), least_busy_line(run));
    append_block(failures, text);
  }
  return text;
}

}  // namespace penstock::observe
