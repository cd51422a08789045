#include "device/fake_queue_device.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "device/cpu/run_work.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::device {
namespace {

/// run_work() asks for the preparation too; here it was made when the work was launched.
class Prepared final : public Completions {
 public:
  bool prepare(Work& /*work*/) override { return true; }
  void completed(std::span<Completion> /*completions*/) override {}
  void idle(int /*lane*/) override {}
};

}  // namespace

FakeQueueDevice::~FakeQueueDevice() {
  while (busy_polling()) progress();
}

Token FakeQueueDevice::start(std::span<Work* const> work, std::span<const Token> after) {
  const std::lock_guard lock(mutex_);
  const bool ordered = !after.empty() && after.front().queue != 0;
  const std::uint32_t queue = ordered ? after.front().queue : next_queue_;
  if (!ordered) next_queue_ = next_queue_ % queues + 1;
  for (Work* piece : work) started_.push_back({piece, {after.begin(), after.end()}, queue});
  points_[queue] += work.size();
  outstanding_ += work.size();
  return {.queue = queue, .point = points_[queue]};
}

void FakeQueueDevice::progress() {
  if (std::exchange(reporting_, true)) return;
  std::vector<Completion> ended;
  for (std::uint32_t queue = queues; queue >= 1; --queue) step(queue, ended);
  launch();
  if (!ended.empty()) {
    completions_.completed(ended);
    outstanding_ -= ended.size();
  }
  reporting_ = false;
}

void FakeQueueDevice::launch() {
  std::vector<Item> started;
  {
    const std::lock_guard lock(mutex_);
    started.swap(started_);
  }
  for (Item& item : started) {
    item.completion = {.work = item.work, .message = {}, .lane = static_cast<int>(item.queue)};
    item.runs = completions_.prepare(*item.work);
    queued_[item.queue].push_back(std::move(item));
  }
}

void FakeQueueDevice::step(std::uint32_t queue, std::vector<Completion>& ended) {
  std::deque<Item>& items = queued_[queue];
  if (items.empty()) return;
  Item& item = items.front();
  if (!std::ranges::all_of(item.after, [this](const Token& token) { return passed(token); })) return;
  Prepared prepared;
  item.completion.begin_ns = executor::steady_now().ns;
  if (item.runs) run_work(*item.work, prepared, parameters_, item.completion);
  item.completion.end_ns = executor::steady_now().ns;
  ended.push_back(std::move(item.completion));
  items.pop_front();
  ++passed_[queue];
}

bool FakeQueueDevice::passed(const Token& token) const {
  PENSTOCK_ASSERT(token.queue <= queues);
  return token.queue == 0 || passed_[token.queue] >= token.point;
}

}  // namespace penstock::device
