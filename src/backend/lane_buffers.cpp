#include "backend/lane_buffers.hpp"

#include <iterator>
#include <utility>

namespace penstock::backend {

namespace {

constexpr std::size_t batch = 64;
constexpr std::ptrdiff_t most_taken = 128;  // reports of 4 KiB at most, in a message of 1 MiB
constexpr std::int64_t tiny_ns = 10'000;    // well above the cost of a settlement

}  // namespace

bool LaneBuffers::add(std::size_t lane_index, const Finished& finished, std::int64_t busy_ns) {
  Lane& lane = lanes_[lane_index];
  const std::lock_guard lock(lane.mutex);
  lane.finished.push_back(finished);
  if (finished.task->kind == Task::Kind::compute) {
    ++lane.totals.tasks;
    lane.totals.busy_ns += busy_ns;
  }
  return lane.finished.size() >= batch || busy_ns > tiny_ns;
}

void LaneBuffers::take(std::size_t lane_index, std::vector<Finished>& taken) {
  Lane& lane = lanes_[lane_index];
  const std::lock_guard lock(lane.mutex);
  if (std::ssize(lane.finished) <= most_taken) {
    std::swap(lane.finished, taken);
    return;
  }
  const auto end = lane.finished.begin() + most_taken;
  taken.assign(lane.finished.begin(), end);
  lane.finished.erase(lane.finished.begin(), end);
}

LaneBuffers::Totals LaneBuffers::totals(std::size_t first_lane, std::size_t count) {
  Totals sum;
  for (std::size_t i = first_lane; i < first_lane + count; ++i) {
    const std::lock_guard lock(lanes_[i].mutex);
    sum.tasks += lanes_[i].totals.tasks;
    sum.busy_ns += lanes_[i].totals.busy_ns;
  }
  return sum;
}

}  // namespace penstock::backend
