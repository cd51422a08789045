#include "runtime/rank_trace.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "executor/steady_clock.hpp"

namespace penstock::runtime {

namespace {

constexpr std::int64_t sample_ns = 1'000'000;

/// Of a rank; where all runs on its cores, tasks may run on the program's thread too, whose lane follows theirs.
std::vector<trace::LaneDescription> lanes_of(const backend::Backend& backend, bool has_program) {
  std::vector<trace::LaneDescription> lanes;
  for (std::size_t device = 0; device < backend.devices(); ++device) {
    const device::Device& each = backend.device(device);
    const bool cores = each.kind() == device::DeviceKind::cpu;
    const std::string gpu =
        cores ? "" : "GPU " + std::to_string(static_cast<const device::Accelerator&>(each).number());
    for (int lane = 0; lane < each.lanes(); ++lane) {
      lanes.push_back({.kind = cores ? trace::LaneKind::core : trace::LaneKind::queue,
                       .device = static_cast<int>(device),
                       .name = cores ? "core " + std::to_string(lane) : gpu + " queue " + std::to_string(lane)});
    }
    if (cores) continue;
    lanes.push_back({.kind = trace::LaneKind::copies, .device = static_cast<int>(device), .name = gpu + " copies"});
  }
  if (has_program) lanes.push_back({.kind = trace::LaneKind::program, .device = 0, .name = "program"});
  lanes.push_back({.kind = trace::LaneKind::driver, .device = 0, .name = "driver"});
  lanes.push_back({.kind = trace::LaneKind::front, .device = 0, .name = "front-end"});
  return lanes;
}

}  // namespace

void RankTrace::begin(const std::filesystem::path& folder, std::int64_t bytes, const std::string& description) {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const bool has_program = frontend_ != nullptr && mover_.ranks() == 1 && backend_.devices() == 1;
  recorder_ = std::make_unique<trace::Recorder>(
      trace::Recorder::Options{.file = folder / trace::file_name(mover_.rank().value()),
                               .bytes = bytes,
                               .rank = mover_.rank().value(),
                               .ranks = mover_.ranks(),
                               .start_ns = executor::steady_now().ns,
                               .start_unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count(),
                               .lanes = lanes_of(backend_, has_program),
                               .description = description});
  backend_.trace(*recorder_);
  engine_.trace(*recorder_, has_program);
  begun_.store(true, std::memory_order_release);
  mover_.wake();
}

trace::Lane* RankTrace::front_lane() {
  return recorder_ != nullptr ? &recorder_->lane(recorder_->lanes() - 1) : nullptr;
}

bool RankTrace::look(core::Instant now) {
  if (!begun_.load(std::memory_order_acquire)) return false;
  if (!mover_told_) {
    mover_told_ = true;
    mover_.trace(&driver_lane());
  }
  const bool is_busy = busy();
  if (is_busy && now.ns - sampled_.ns >= sample_ns) {
    sampled_ = now;
    sample(driver_lane(), now);
  }
  if (frontend_ != nullptr) return is_busy;  // this is the clock that the others are compared with
  if (const auto ping = clock_.ask(now)) {
    std::vector<std::byte> message;
    core::ByteWriter writer(message);
    write(writer, *ping);
    mover_.post(core::front_rank, message);
  }
  return is_busy;
}

bool RankTrace::busy() const { return backend_.busy() || (frontend_ != nullptr && frontend_->in_flight().tasks > 0); }

void RankTrace::sample(trace::Lane& lane, core::Instant now) {
  const auto put = [&](core::CounterKind counter, std::uint64_t value) {
    lane.put(
        to_event(core::CounterEvent{.counter = counter, .at_ns = now.ns, .value = static_cast<std::int64_t>(value)}));
  };
  put(core::CounterKind::ready, backend_.waiting());
  put(core::CounterKind::memory, backend_.memory_bytes() + engine_.buffers().used_bytes());
  if (frontend_ != nullptr) {
    const frontend::Window window = frontend_->in_flight();
    put(core::CounterKind::tasks_in_flight, window.tasks);
    put(core::CounterKind::bytes_in_flight, static_cast<std::uint64_t>(window.bytes));
  }
  lane.publish();
}

void RankTrace::hear(const cluster::Pong& pong, core::Instant now) {
  const auto sample = clock_.hear(pong, now);
  if (sample && recorder_ != nullptr) driver_lane().record(to_event(*sample));
}

void RankTrace::end() {
  mover_.trace(nullptr);
  begun_.store(false, std::memory_order_relaxed);
  recorder_.reset();
}

}  // namespace penstock::runtime
