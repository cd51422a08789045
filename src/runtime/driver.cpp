#include "runtime/driver.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <penstock/error.hpp>

#include "executor/steady_clock.hpp"

namespace penstock::runtime {

using cluster::Tag;
using core::RankId;

namespace {

constexpr std::chrono::microseconds poll_devices{20};
constexpr std::chrono::milliseconds while_busy{1};

}  // namespace

void Driver::attach(backend::Backend& backend, frontend::Frontend* frontend, RankTrace& trace,
                    std::function<void(const cluster::TraceOrder&)> begin_trace) {
  backend_ = &backend;
  frontend_ = frontend;
  trace_ = &trace;
  begin_trace_ = std::move(begin_trace);
  byes_.resize(static_cast<std::size_t>(mover_.ranks()));
}

void Driver::run() {
  runs_.store(true, std::memory_order_relaxed);
  try {
    run_until_finished();
  } catch (...) {
    runs_.store(false, std::memory_order_release);
    throw;
  }
  runs_.store(false, std::memory_order_release);
}

void Driver::run_until_finished() {
  while (!finished()) {
    const bool moved = mover_.progress(*this);
    const bool settled = backend_->progress();
    if (frontend_ != nullptr) frontend_->tick();
    const bool under_way = trace_->look(executor::steady_now());
    idle_limit_ = under_way || moved || settled ? idle_limit_least : std::min(2 * idle_limit_, idle_limit_most);
    if (!moved && !settled) mover_.wait(sleep_limit());
  }
}

void Driver::abandon() {
  abandoned_.store(true, std::memory_order_relaxed);
  mover_.wake();
}

bool Driver::finished() {
  if (abandoned_.load(std::memory_order_relaxed)) return true;
  if (!backend_->told_to_finish() || backend_->busy() || trace_->asking() || !mover_.quiet()) return false;
  return frontend_ == nullptr || byes_heard_ == mover_.ranks() - 1;
}

std::chrono::nanoseconds Driver::sleep_limit() const {
  if (backend_->busy_polling()) return poll_devices;
  return backend_->busy() ? while_busy : idle_limit_;
}

void Driver::say_bye(cluster::Bye bye) {
  bye.bytes_sent = mover_.bytes_sent();
  bye.bytes_received = mover_.bytes_received();
  if (frontend_ != nullptr) {
    byes_[0] = std::move(bye);
    return;
  }
  std::vector<std::byte> message;
  core::ByteWriter writer(message);
  write(writer, bye);
  mover_.post(core::front_rank, message);
  do {
    if (!mover_.progress(*this)) mover_.wait(while_busy);
  } while (!mover_.quiet());
}

void Driver::endings(std::span<const std::byte> item) {
  if (frontend_ == nullptr) return mover_.post(core::front_rank, item);
  try {
    frontend_->on_endings(core::front_rank, item);
  } catch (const std::exception& error) {  // on a worker: nobody above it could do anything about it
    frontend_->break_off(error.what());
  }
}

void Driver::deliver(RankId to, std::span<const std::byte> commands) {
  if (to == mover_.rank())
    backend_->receive(commands);
  else
    mover_.post(to, commands);
}

void Driver::message(RankId from, std::span<const std::byte> message) {
  core::ByteReader reader(message);
  switch (cluster::read_tag(reader)) {
    case Tag::endings:
      if (frontend_ != nullptr) return frontend_->on_endings(from, message);
      break;
    case Tag::ping: {
      cluster::Ping ping;
      if (frontend_ == nullptr || !read(reader, ping)) break;
      return tell_clock(from, ping);
    }
    case Tag::pong: {
      cluster::Pong pong;
      if (frontend_ != nullptr || !read(reader, pong)) break;
      return trace_->hear(pong, executor::steady_now());
    }
    case Tag::trace: {
      cluster::TraceOrder order;
      if (frontend_ != nullptr || !read(reader, order)) break;
      return begin_trace_(order);
    }
    case Tag::bye:
      if (frontend_ == nullptr || !read(reader, byes_[static_cast<std::size_t>(from.value())])) break;
      ++byes_heard_;
      return;
    default:
      if (from == core::front_rank && frontend_ == nullptr && !reader.bad()) return backend_->receive(message);
  }
  throw Error(ErrorCode::environment, "rank " + std::to_string(from.value()) + " sent a message that makes no sense");
}

void Driver::tell_clock(RankId to, const cluster::Ping& ping) {
  std::vector<std::byte> message;
  core::ByteWriter writer(message);
  write(writer, cluster::Pong{.asked_ns = ping.asked_ns, .front_ns = executor::steady_now().ns});
  mover_.post(to, message);
}

}  // namespace penstock::runtime
