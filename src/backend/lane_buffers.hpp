/// Where finished tasks wait for their settlement, one buffer a lane: settling takes the back-end's mutex and the
/// front-end's, so it is done for many at once. A lane hands on when it has many, when it runs out of work, or when
/// what it finished was not tiny; the rank's driver empties all buffers now and then for the lanes that are busy with
/// something long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "backend/task.hpp"

namespace penstock::backend {

class LaneBuffers {
 public:
  explicit LaneBuffers(std::size_t lanes) : lanes_(lanes) {}

  /// True when the lane should now be taken: it holds a batch, or the body ran for long.
  [[nodiscard]] bool add(std::size_t lane, const Finished& finished, std::int64_t busy_ns);
  /// Moves the lane's oldest entries, at most a message full, into `taken`, which must be empty.
  void take(std::size_t lane, std::vector<Finished>& taken);

  [[nodiscard]] std::size_t size() const { return lanes_.size(); }
  struct Totals {
    std::uint64_t tasks = 0;
    std::int64_t busy_ns = 0;
  };
  [[nodiscard]] Totals totals(std::size_t first_lane, std::size_t count);

 private:
  struct alignas(64) Lane {
    std::mutex mutex;  // guards the rest; contended only when the driver looks
    std::vector<Finished> finished;
    Totals totals;
  };
  std::deque<Lane> lanes_;
};

}  // namespace penstock::backend
