/// The progress line on standard error: how many tasks are done, how fast, and how long it may still take.
/// Progress belongs to the main thread of rank 0, which tells it the counts about every 100 ms.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace penstock::observe {

struct ProgressCounts {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t skipped = 0;           ///< and cancelled, lost: ended without having been computed
  std::optional<std::uint64_t> total;  ///< absent while the submissions have not ended

  [[nodiscard]] std::uint64_t ended() const { return done + failed + skipped; }
};

/// "1234/10000 tasks, 3 failed, 812/s, 12.3 s, 10.8 s left" in at most `columns` columns: the parts that matter least
/// go first. `tasks_per_second` is the present rate; unknown where it is not positive. Pure.
[[nodiscard]] std::string progress_line(const ProgressCounts& counts, double seconds, double tasks_per_second,
                                        std::size_t columns);

/// Where the line goes.
struct ProgressTarget {
  bool quiet = false;                    ///< print nothing
  bool terminal = false;                 ///< one line in place, else a line every 5 s
  std::function<std::size_t()> columns;  ///< of the terminal now; absent: 80
};

/// Standard error of this process: a terminal or not, and its width.
[[nodiscard]] ProgressTarget standard_error_target(bool quiet);

class Progress {
 public:
  /// `out` must outlive it.
  Progress(std::ostream& out, ProgressTarget target) : out_(out), target_(std::move(target)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Clears.
  ~Progress();

  /// `seconds` since the run began; must not go back.
  void update(const ProgressCounts& counts, double seconds);
  /// Takes the line off the terminal, before something else is printed there and at the end.
  void clear();

 private:
  struct Sample {
    double seconds;
    std::uint64_t ended;
  };
  [[nodiscard]] double recent_rate(const ProgressCounts& counts, double seconds);
  void draw(const std::string& line);

  std::ostream& out_;
  ProgressTarget target_;
  std::deque<Sample> samples_;  ///< of the last seconds, oldest first
  std::string shown_;           ///< what is on the terminal's line now
  double next_line_s_ = 5.0;    ///< where it is not a terminal
};

}  // namespace penstock::observe
