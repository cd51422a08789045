#include "executor/guests.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <system_error>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "executor/workers.hpp"

namespace penstock::executor {

thread_local Gang* Guests::running_ = nullptr;

Guests::~Guests() {
  {
    const Lock lock(mutex_);
    ended_ = true;
    for (const auto& guest : guests_) guest->called.notify_one();
  }
  for (const auto& guest : guests_) guest->thread.join();
}

// --- assembling ---

void Guests::begin(Gang& gang) {
  PENSTOCK_ASSERT(gang.cores() <= workers_.lanes());
  const Worker* const worker = workers_.current();
  Lock lock(mutex_);
  gang.guests_ = this;
  gang.chain_ = worker != nullptr ? worker->chain : 0;
  gang.left_ = gang.cores();
  waiting_.push_back(&gang);
  assemble_next(lock);
}

/// Without `lock`, but for the beginning and the end.
void Guests::assemble_next(Lock& lock) {
  if (assembling_ != nullptr || returning_ > 0 || waiting_.empty()) return;
  Gang& gang = *waiting_.front();
  waiting_.pop_front();
  assembling_ = &gang;
  gang.state_ = Gang::State::assembles;
  std::vector<Job*> jobs;
  for (Gang::Join& each : gang.joins_) {
    each.job = {.run = join, .priority = std::numeric_limits<std::int32_t>::max()};
    each.gang = &gang;
    jobs.push_back(&each.job);
  }
  lock.unlock();
  workers_.share(jobs);
  lock.lock();
}

void Guests::free_turn(Lock& lock) {
  assembling_ = nullptr;
  turn_is_free_.notify_one();
  assemble_next(lock);
}

void Guests::leave() {
  const Lock lock(mutex_);
  ++gone_;
  if (assembling_ != nullptr) assembling_->is_complete_.notify_one();
}

void Guests::join(Job& job, Worker& worker) {
  static_assert(offsetof(Gang::Join, job) == 0);
  const Gang::Join& own = *reinterpret_cast<const Gang::Join*>(&job);
  Gang& gang = *own.gang;
  Guests& guests = worker.team->guests_;
  const auto index = static_cast<int>(&own - gang.joins_.data());
  worker.team->prepare_to_park(worker);
  guests.park(gang, worker);
  guests.let_go(gang, worker, index);
}

/// Until the body has ended. The first that is parked sees to it.
void Guests::park(Gang& gang, Worker& worker) {
  Lock lock(mutex_);
  if (gang.state_ == Gang::State::ended) return;
  if (++gang.parked_ == 1) return lead(gang, worker, lock);
  if (is_complete(gang)) gang.is_complete_.notify_one();
  await_end(gang, lock);
}

void Guests::lead(Gang& gang, Worker& worker, Lock& lock) {
  gang.is_complete_.wait(lock, [&] { return is_complete(gang); });
  gang.state_ = Gang::State::runs;
  free_turn(lock);
  lock.unlock();
  const bool runs = gang.prepare(worker) && call_guest(gang);
  lock.lock();
  if (runs) return await_end(gang, lock);
  gang.state_ = Gang::State::ended;
  gang.changed_.notify_all();
}

void Guests::await_end(Gang& gang, Lock& lock) {
  for (;;) {
    gang.changed_.wait(lock, [&] { return gang.state_ == Gang::State::ended || gang.state_ == Gang::State::is_aside; });
    if (gang.state_ == Gang::State::ended) return;
    part_with_lane(gang, lock);
  }
}

void Guests::let_go(Gang& gang, Worker& worker, int index) {
  gang.unpark(worker, index);
  {
    const Lock lock(mutex_);
    if (--gang.left_ > 0) return;
  }
  worker.chain = gang.chain_;  // a chain of gangs is as long as one of other tasks before others may pass
  gang.finish(worker);
}

// --- bodies that wait ---

Gang& Guests::step_aside() {
  PENSTOCK_ASSERT(runs_here());
  Gang& gang = *running_;
  Lock lock(mutex_);
  gang.state_ = Gang::State::is_aside;
  gang.why_not_aside_.clear();
  gang.changed_.notify_all();
  gang.has_parted_.wait(lock, [&] { return gang.aside_ == gang.parked_; });
  if (!gang.why_not_aside_.empty()) {
    call_back(gang, lock);
    throw Error(ErrorCode::environment, gang.why_not_aside_);
  }
  running_ = nullptr;
  return gang;
}

void Guests::step_back(Gang& gang) {
  Lock lock(mutex_);
  call_back(gang, lock);
  running_ = &gang;
}

/// One of the gang's workers, until the gang is called back. Without `lock`, but for the beginning and the end.
void Guests::part_with_lane(Gang& gang, Lock& lock) {
  lock.unlock();
  {
    std::optional<Workers::Away> away;
    std::string why_not;
    try {
      away.emplace(workers_);
    } catch (const Error& error) {
      why_not = error.what();
    }
    lock.lock();
    if (!away) gang.why_not_aside_ = why_not;
    if (++gang.aside_ == gang.parked_) gang.has_parted_.notify_one();
    gang.changed_.wait(lock, [&] { return gang.state_ != Gang::State::is_aside; });
    lock.unlock();
  }
  lock.lock();
  if (--gang.aside_ == 0) gang.has_parted_.notify_one();
}

/// In turn: two gangs that each had some of their workers back would wait for each other's.
void Guests::call_back(Gang& gang, Lock& lock) {
  ++returning_;
  turn_is_free_.wait(lock, [&] { return assembling_ == nullptr; });
  --returning_;
  assembling_ = &gang;
  gang.state_ = Gang::State::runs;
  gang.changed_.notify_all();
  gang.has_parted_.wait(lock, [&] { return gang.aside_ == 0; });
  free_turn(lock);
}

// --- guests ---

/// False: it was refused.
bool Guests::call_guest(Gang& gang) {
  try {
    const Lock lock(mutex_);
    Guest* const idle = idle_of(gang.cores());
    Guest& guest = idle != nullptr ? *idle : make();
    std::erase(idle_, &guest);
    guest.cores = gang.cores();
    guest.gang = &gang;
    guest.called.notify_one();
    return true;
  } catch (const std::system_error& error) {
    gang.refuse(std::string("no thread can be had for a task on several cores: ") + error.what());
    return false;
  }
}

/// One that had as many cores, whose pool of threads fits. Others are left to tasks on their number of cores, unless
/// that would keep more threads than twice the workers; then the one that has been idle for longest changes.
Guests::Guest* Guests::idle_of(int cores) {
  const auto fits = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Guest* one) { return one->cores == cores; });
  if (fits != idle_.rend()) return *fits;
  const int kept =
      std::accumulate(guests_.begin(), guests_.end(), 0, [](int sum, const auto& guest) { return sum + guest->cores; });
  return idle_.empty() || kept + cores <= 2 * workers_.lanes() ? nullptr : idle_.front();
}

Guests::Guest& Guests::make() {
  Guest& guest = *guests_.emplace_back(std::make_unique<Guest>());
  try {
    guest.thread = std::thread([this, &guest] { live(guest); });
  } catch (...) {
    guests_.pop_back();
    throw;
  }
  return guest;
}

void Guests::live(Guest& guest) {
  Workers::is_worker_ = true;
  int entered = 0;
  Lock lock(mutex_);
  for (;;) {
    guest.called.wait(lock, [&] { return guest.gang != nullptr || ended_; });
    if (guest.gang == nullptr) return;
    Gang& gang = *guest.gang;
    lock.unlock();
    if (std::exchange(entered, gang.cores()) != gang.cores()) enter_(gang.cores());
    running_ = &gang;
    gang.run();
    running_ = nullptr;
    lock.lock();
    guest.gang = nullptr;
    idle_.push_back(&guest);
    gang.state_ = Gang::State::ended;
    gang.changed_.notify_all();
  }
}

}  // namespace penstock::executor
