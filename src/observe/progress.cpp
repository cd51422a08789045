#include "observe/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "observe/table.hpp"
#include "observe/units.hpp"

namespace penstock::observe {

namespace {

constexpr double rate_window_s = 10.0;
constexpr double sample_spacing_s = 0.5;
constexpr double line_spacing_s = 5.0;
constexpr std::size_t usual_columns = 80;

std::string tasks_part(const ProgressCounts& counts) {
  if (counts.total) return fmt::format("{}/{} tasks", counts.done, *counts.total);
  return fmt::format("{} tasks done", counts.done);
}

std::string time_left_part(const ProgressCounts& counts, double tasks_per_second) {
  if (!counts.total || *counts.total <= counts.ended() || !(tasks_per_second > 0.0)) return "";
  return duration_text(static_cast<double>(*counts.total - counts.ended()) / tasks_per_second) + " left";
}

std::size_t standard_error_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_columns;
  return size.ws_col;
}

}  // namespace

std::string progress_line(const ProgressCounts& counts, double seconds, double tasks_per_second, std::size_t columns) {
  std::array<std::string, 6> parts{tasks_part(counts),
                                   counts.failed > 0 ? fmt::format("{} failed", counts.failed) : "",
                                   counts.skipped > 0 ? fmt::format("{} skipped", counts.skipped) : "",
                                   tasks_per_second > 0.0 ? rate_text(tasks_per_second) : "",
                                   duration_text(seconds),
                                   time_left_part(counts, tasks_per_second)};
  constexpr std::array<std::size_t, 6> least_first{3, 4, 2, 5, 1, 0};
  for (const std::size_t drop : least_first) {
    std::string line;
    for (const std::string& part : parts) {
      if (!part.empty()) line += (line.empty() ? "" : ", ") + part;
    }
    if (columns_of(line) <= columns || drop == 0) return clipped(line, columns);
    parts[drop].clear();
  }
  return "";
}

ProgressTarget standard_error_target(bool quiet) {
  const char* const kind = std::getenv("TERM");
  const bool can_return = kind != nullptr && std::string_view(kind) != "dumb";
  return {.quiet = quiet, .terminal = can_return && ::isatty(STDERR_FILENO) == 1, .columns = standard_error_columns};
}

Progress::~Progress() { clear(); }

void Progress::update(const ProgressCounts& counts, double seconds) {
  const double rate = recent_rate(counts, seconds);
  if (target_.quiet) return;
  if (target_.terminal) {
    const std::size_t columns = target_.columns ? target_.columns() : usual_columns;
    // The last column stays free: many terminals wrap when it is written.
    draw(progress_line(counts, seconds, rate, std::max<std::size_t>(columns, 2) - 1));
  } else if (seconds >= next_line_s_) {
    out_ << progress_line(counts, seconds, rate, std::numeric_limits<std::size_t>::max()) << '\n' << std::flush;
    next_line_s_ = seconds + line_spacing_s;
  }
}

void Progress::clear() {
  if (shown_.empty()) return;
  out_ << '\r' << std::string(columns_of(shown_), ' ') << '\r' << std::flush;
  shown_.clear();
}

double Progress::recent_rate(const ProgressCounts& counts, double seconds) {
  if (samples_.empty()) samples_.push_back({0.0, 0});
  while (samples_.size() > 1 && seconds - samples_[1].seconds >= rate_window_s) samples_.pop_front();
  const Sample oldest = samples_.front();
  if (seconds - samples_.back().seconds >= sample_spacing_s) samples_.push_back({seconds, counts.ended()});
  if (seconds <= oldest.seconds || counts.ended() < oldest.ended) return 0.0;
  return static_cast<double>(counts.ended() - oldest.ended) / (seconds - oldest.seconds);
}

void Progress::draw(const std::string& line) {
  if (line == shown_) return;
  const std::size_t before = columns_of(shown_);
  const std::size_t now = columns_of(line);
  // Spaces over the rest of a longer line: needs no escape sequences.
  out_ << '\r' << line << std::string(before > now ? before - now : 0, ' ') << std::flush;
  shown_ = line;
}

}  // namespace penstock::observe
