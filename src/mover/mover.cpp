#include "mover/mover.hpp"

#include <string>
#include <utility>

#include <penstock/error.hpp>

#include "cluster/messages.hpp"
#include "executor/steady_clock.hpp"

namespace penstock::mover {

using core::RankId;
using transport::BulkNumber;

namespace {

std::uint64_t serving_key(RankId to, BulkNumber number) {
  return (static_cast<std::uint64_t>(to.value()) << 32) | number;
}

bool is_fetch_request(std::span<const std::byte> message) {
  return !message.empty() && message.front() == static_cast<std::byte>(cluster::Tag::fetch);
}

}  // namespace

Mover::Mover(std::unique_ptr<transport::Transport> transport) : transport_(std::move(transport)) {}

void Mover::post(RankId to, std::span<const std::byte> message) {
  {
    const std::lock_guard lock(mutex_);
    const std::size_t begin = posted_bytes_.size();
    posted_bytes_.insert(posted_bytes_.end(), message.begin(), message.end());
    posted_.push_back({to, begin, posted_bytes_.size()});
  }
  transport_->wake();
}

void Mover::fetch(const FetchOrder& order) {
  {
    const std::lock_guard lock(mutex_);
    ordered_.push_back(order);
  }
  transport_->wake();
}

bool Mover::progress(MoverEvents& events) {
  events_ = &events;
  const bool sent = send_posted();
  const bool delivered = transport_->progress(*this);
  const bool served = serve_deferred();
  return sent || delivered || served;
}

void Mover::wait(std::chrono::nanoseconds limit) { transport_->wait(limit); }

bool Mover::quiet() {
  const std::lock_guard lock(mutex_);
  return posted_.empty() && ordered_.empty() && deferred_.empty() && under_way_ == 0 && !transport_->busy();
}

bool Mover::send_posted() {
  {
    const std::lock_guard lock(mutex_);
    std::swap(posted_, sending_);
    std::swap(posted_bytes_, sending_bytes_);
    std::swap(ordered_, beginning_);
  }
  const bool any = !sending_.empty() || !beginning_.empty();
  for (const Posted& posted : sending_) {
    transport_->send(posted.to, std::span(sending_bytes_).subspan(posted.begin, posted.end - posted.begin));
  }
  for (const FetchOrder& order : beginning_) begin_fetch(order);
  sending_.clear();
  sending_bytes_.clear();
  beginning_.clear();
  return any;
}

void Mover::begin_fetch(const FetchOrder& order) {
  // In turn through all numbers: the sender may hear of the end of a transfer after the receiver has asked for the
  // next.
  const BulkNumber number = next_number_++ % transport::bulk_numbers;
  fetches_[number] = {order, {order.data, order.version, order.into.size(), executor::steady_now().ns}};
  ++under_way_;
  transport_->receive_bulk(order.from, number, order.into);
  std::vector<std::byte> request;
  core::ByteWriter writer(request);
  cluster::write(writer, cluster::FetchRequest{order.data, order.version, number});
  transport_->send(order.from, request);
}

void Mover::message(RankId from, std::span<const std::byte> message) {
  if (is_fetch_request(message))
    serve(from, message.subspan(1));
  else
    events_->message(from, message);
}

void Mover::serve(RankId to, std::span<const std::byte> request_bytes) {
  core::ByteReader reader(request_bytes);
  Request request{.to = to, .request = {}};
  if (!cluster::read(reader, request.request)) {
    throw Error(ErrorCode::environment, "rank " + std::to_string(to.value()) + " asked for something unreadable");
  }
  if (!serve(request)) deferred_.push_back(request);
}

/// False: to be tried again.
bool Mover::serve(const Request& request) {
  const auto& [data, version, number] = request.request;
  const Serving served = events_->serve(data, version);
  if (served.state == Serving::State::later) return false;
  if (served.state == Serving::State::nowhere) {
    throw Error(ErrorCode::environment, "rank " + std::to_string(request.to.value()) + " asked for version " +
                                            std::to_string(version.value()) + " of datum " +
                                            std::to_string(data.value()) + ", which is not here");
  }
  const ServedReplica& replica = served.replica;
  serving_[serving_key(request.to, number)] = {replica.replica,
                                               {data, version, replica.bytes.size(), executor::steady_now().ns}};
  ++under_way_;
  bytes_sent_ += replica.bytes.size();
  transport_->send_bulk(request.to, number, replica.bytes);
  return true;
}

bool Mover::serve_deferred() {
  return std::erase_if(deferred_, [this](const Request& request) { return serve(request); }) > 0;
}

void Mover::bulk_sent(RankId to, BulkNumber number) {
  const auto serving = serving_.find(serving_key(to, number));
  const Sending served = serving->second;
  serving_.erase(serving);
  --under_way_;
  record(core::Direction::out, to, served.begun);
  events_->served(served.replica);
}

void Mover::bulk_received(RankId from, BulkNumber number) {
  const Fetching fetched = fetches_.extract(number).mapped();
  --under_way_;
  bytes_received_ += fetched.order.into.size();
  record(core::Direction::in, from, fetched.begun);
  events_->fetched(fetched.order.slot);
}

void Mover::record(core::Direction direction, RankId peer, const Begun& begun) {
  if (lane_ == nullptr) return;
  lane_->put(to_event(core::TransferEvent{
      .direction = direction, .peer = peer, .begin_ns = begun.begin_ns, .end_ns = executor::steady_now().ns}));
  lane_->put(to_event(core::AccessEvent{.access = core::AccessKind::read,
                                        .data = begun.data,
                                        .reads = begun.version,
                                        .writes = core::Version(),
                                        .bytes = static_cast<std::int64_t>(begun.bytes)}));
  lane_->publish();
}

}  // namespace penstock::mover
