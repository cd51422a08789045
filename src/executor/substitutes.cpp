#include "executor/substitutes.hpp"

#include <string>
#include <system_error>
#include <utility>

#include <penstock/error.hpp>

#include "core/assert.hpp"

namespace penstock::executor {

Substitutes::~Substitutes() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const auto& spare : spares_) spare->called.notify_one();
  }
  for (const auto& spare : spares_) spare->thread.join();
}

void Substitutes::begin(int lane) {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) idle_.push_back(&make());
  Spare& spare = *idle_.back();
  idle_.pop_back();
  busy_.store(spares_.size() - idle_.size(), std::memory_order_relaxed);
  spare.lane = lane;
  spare.called.notify_one();
}

Substitutes::Spare& Substitutes::make() {
  const std::string waiting = std::to_string(spares_.size() + 1) + " tasks wait inside their bodies at once, ";
  if (spares_.size() >= most_) {
    throw Error(ErrorCode::environment, waiting + "more than the " + std::to_string(most_) + " that may");
  }
  Spare& spare = *spares_.emplace_back(std::make_unique<Spare>());
  try {
    spare.thread = std::thread([this, &spare] { live(spare); });
  } catch (const std::system_error& error) {
    spares_.pop_back();
    throw Error(ErrorCode::environment, waiting + "and the system gives no more threads: " + error.what());
  }
  return spare;
}

void Substitutes::live(Spare& spare) {
  int last = Spare::no_lane;
  for (int lane = next_lane(spare); lane != Spare::no_lane; lane = next_lane(spare)) {
    if (std::exchange(last, lane) != lane) calls_.enter(lane);
    calls_.work(lane);
    rest(spare);  // first: whoever takes over the lane may need a spare thread at once, and the bound is exact
    calls_.leave(lane);
  }
}

int Substitutes::next_lane(Spare& spare) {
  std::unique_lock lock(mutex_);
  spare.called.wait(lock, [&] { return spare.lane != Spare::no_lane || ended_; });
  return std::exchange(spare.lane, Spare::no_lane);
}

void Substitutes::rest(Spare& spare) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(&spare);
  busy_.store(spares_.size() - idle_.size(), std::memory_order_relaxed);
}

}  // namespace penstock::executor
