#include "transport/mpi/messages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/assert.hpp"

namespace penstock::transport {

namespace {

constexpr int message_tag = 0;
/// Bounds what one poll() takes in, and with it the memory of receives in flight.
constexpr std::size_t arrivals_max = 32;
/// Bounds the cost of a poll() when sends to very many ranks are pending.
constexpr std::size_t receivers_tested_max = 16;

}  // namespace

MpiMessages::MpiMessages(MPI_Comm communicator, int rank, int ranks)
    : communicator_(communicator),
      rank_(rank),
      outgoing_(static_cast<std::size_t>(ranks)),
      held_back_(static_cast<std::size_t>(ranks), 0) {}

void MpiMessages::send(int to, std::span<const std::byte> message) {
  PENSTOCK_ASSERT(to >= 0 && static_cast<std::size_t>(to) < held_back_.size());
  Buffer buffer = pool_.take(message.size());
  if (!message.empty()) std::memcpy(buffer.memory.get(), message.data(), message.size());
  if (to == rank_) {
    own_.push_back(std::move(buffer));
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  PENSTOCK_MPI_TRY(MPI_Isend(buffer.memory.get(), static_cast<int>(buffer.size), MPI_BYTE, to, message_tag,
                             communicator_, &request));
  // A small message has left by now, and then the test costs nothing.
  int left = 0;
  PENSTOCK_MPI_TRY(MPI_Test(&request, &left, MPI_STATUS_IGNORE));
  if (left != 0) {
    pool_.give_back(std::move(buffer));
    return;
  }
  auto& departures = outgoing_[static_cast<std::size_t>(to)];
  if (departures.empty()) crowded_.push_back(to);
  departures.push_back({.request = request, .buffer = std::move(buffer)});
}

auto MpiMessages::poll() -> Polled {
  Polled polled;
  polled.moved = poll_outgoing();
  test_arrivals();
  while (arrivals_.size() < arrivals_max && start_arrival()) polled.moved = true;
  polled.deliverable = !own_.empty() || any_deliverable();
  return polled;
}

/// The oldest message of each sender decides: if none of those is whole, nothing can be delivered.
bool MpiMessages::any_deliverable() {
  ++round_;
  for (std::size_t at = 0; at < arrivals_.size(); ++at) {
    auto& held_back = held_back_[static_cast<std::size_t>(arrivals_[at].from)];
    if (held_back == round_) continue;
    if (receiving_[at] == MPI_REQUEST_NULL) return true;
    held_back = round_;
  }
  return false;
}

/// Looks at some receivers, at others the next time: one that takes nothing holds up only its own. True when anything
/// has left.
bool MpiMessages::poll_outgoing() {
  bool any = false;
  for (std::size_t count = std::min(receivers_tested_max, crowded_.size()); count > 0; --count) {
    if (tested_ >= crowded_.size()) tested_ = 0;
    auto& departures = outgoing_[static_cast<std::size_t>(crowded_[tested_])];
    any = free_departed(departures) || any;
    if (departures.empty()) {
      crowded_[tested_] = crowded_.back();
      crowded_.pop_back();
    } else {
      ++tested_;
    }
  }
  return any;
}

/// Sends to one receiver leave about in order: the oldest that has not left ends the search.
bool MpiMessages::free_departed(std::deque<Departure>& departures) {
  bool any = false;
  while (!departures.empty()) {
    int left = 0;
    PENSTOCK_MPI_TRY(MPI_Test(&departures.front().request, &left, MPI_STATUS_IGNORE));
    if (left == 0) break;
    pool_.give_back(std::move(departures.front().buffer));
    departures.pop_front();
    any = true;
  }
  return any;
}

void MpiMessages::test_arrivals() {
  if (std::ranges::any_of(receiving_, [](MPI_Request request) { return request != MPI_REQUEST_NULL; })) {
    tester_.ended(receiving_);
  }
}

/// Takes the next message that MPI has matched; false when there is none.
bool MpiMessages::start_arrival() {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  PENSTOCK_MPI_TRY(MPI_Improbe(MPI_ANY_SOURCE, message_tag, communicator_, &found, &message, &status));
  if (found == 0) return false;
  int size = 0;
  PENSTOCK_MPI_TRY(MPI_Get_count(&status, MPI_BYTE, &size));
  Arrival arrival{.from = status.MPI_SOURCE, .delivered = false, .buffer = pool_.take(static_cast<std::size_t>(size))};
  MPI_Request request = MPI_REQUEST_NULL;
  PENSTOCK_MPI_TRY(MPI_Imrecv(arrival.buffer.memory.get(), size, MPI_BYTE, &message, &request));
  // A small message is whole by now, and then the test costs nothing.
  int whole = 0;
  PENSTOCK_MPI_TRY(MPI_Test(&request, &whole, MPI_STATUS_IGNORE));
  receiving_.push_back(request);
  arrivals_.push_back(std::move(arrival));
  return true;
}

bool MpiMessages::deliver(Receiver& receiver) {
  const bool own = deliver_own(receiver);
  return deliver_arrivals(receiver) || own;
}

/// What the receiver sends to its own rank meanwhile is for the next call, so that this one ends.
bool MpiMessages::deliver_own(Receiver& receiver) {
  if (own_.empty()) return false;
  own_taken_.clear();
  std::swap(own_, own_taken_);
  for (Buffer& buffer : own_taken_) {
    receiver.message(core::RankId{rank_}, buffer.bytes());
    pool_.give_back(std::move(buffer));
  }
  return true;
}

bool MpiMessages::deliver_arrivals(Receiver& receiver) {
  bool any = false;
  ++round_;
  for (std::size_t at = 0; at < arrivals_.size(); ++at) {
    Arrival& arrival = arrivals_[at];
    auto& held_back = held_back_[static_cast<std::size_t>(arrival.from)];
    if (receiving_[at] != MPI_REQUEST_NULL) held_back = round_;
    if (held_back == round_ || arrival.delivered) continue;
    arrival.delivered = true;
    any = true;
    receiver.message(core::RankId{arrival.from}, arrival.buffer.bytes());
  }
  if (any) forget_delivered();
  return any;
}

void MpiMessages::forget_delivered() {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < arrivals_.size(); ++at) {
    if (arrivals_[at].delivered) {
      pool_.give_back(std::move(arrivals_[at].buffer));
      continue;
    }
    if (kept != at) {
      arrivals_[kept] = std::move(arrivals_[at]);
      receiving_[kept] = receiving_[at];
    }
    ++kept;
  }
  arrivals_.resize(kept);
  receiving_.resize(kept);
}

std::size_t MpiMessages::settle(std::chrono::steady_clock::time_point deadline) noexcept {
  std::size_t left = 0;
  const auto settle_one = [&](MPI_Request& request, Buffer& buffer) {
    if (transport::settle(std::span(&request, 1), deadline)) return;
    static_cast<void>(buffer.memory.release());  // MPI may still use it
    ++left;
  };
  for (const int to : crowded_) {
    for (Departure& departure : outgoing_[static_cast<std::size_t>(to)])
      settle_one(departure.request, departure.buffer);
  }
  for (std::size_t at = 0; at < arrivals_.size(); ++at) settle_one(receiving_[at], arrivals_[at].buffer);
  crowded_.clear();
  receiving_.clear();
  return left;
}

}  // namespace penstock::transport
