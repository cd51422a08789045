// What the trace is told of a piece of work that has ended. On the lane that ran it, before its task may end.
#include <algorithm>

#include "backend/backend.hpp"

namespace penstock::backend {

using cluster::OperandKind;
using core::Outcome;

namespace {

constexpr int panels_told = 255;

Outcome outcome_of(const Task& task, const device::Completion& completion) {
  if (completion.failed || task.failed.load(std::memory_order_relaxed)) return Outcome::failed;
  if (task.node.cause() != core::TaskId()) return Outcome::skipped;
  return task.cancelled ? Outcome::cancelled : Outcome::done;
}

core::AccessEvent access_event(const Task::Place& place, const ArrayType& type) {
  static_assert(static_cast<int>(OperandKind::copy) == static_cast<int>(core::AccessKind::copy) &&
                static_cast<int>(OperandKind::write) == static_cast<int>(core::AccessKind::write));
  const auto kind = static_cast<core::AccessKind>(place.kind);
  return {.access = kind,
          .data = place.data,
          .reads = kind == core::AccessKind::write ? core::Version() : place.reads,
          .writes = kind == core::AccessKind::read ? core::Version() : place.writes,
          .bytes = type.bytes()};
}

}  // namespace

/// Each GPU before this one has a lane more in the trace than it has otherwise.
void Backend::record(const Task& task, core::DeviceId device, const device::Completion& completion) {
  const std::size_t copies = device == core::DeviceId(0) ? 0 : static_cast<std::size_t>(device.value()) - 1;
  trace::Lane& lane = recorder_->lane(links_[device.value()].lane_of(completion.lane) + copies);
  const device::Work& work = *completion.work;
  lane.put(to_event(core::TaskEvent{.task = task.task,
                                    .kernel = task.kernel_id,
                                    .attempt = task.attempt,
                                    .panel = static_cast<std::uint8_t>(std::min(work.panel, panels_told)),
                                    .panel_count = static_cast<std::uint8_t>(std::min(work.panel_count, panels_told)),
                                    .outcome = outcome_of(task, completion),
                                    .begin_ns = completion.begin_ns,
                                    .end_ns = completion.end_ns}));
  if (work.panel == 0) {
    for (std::size_t i = 0; i < task.places.size(); ++i) {
      lane.put(to_event(access_event(task.places[i], task.views[i].type)));
    }
  }
  lane.publish();
}

void Backend::record_copies(core::DeviceId device, std::span<const device::TransferEnd> ends) {
  const std::size_t own_lanes = static_cast<std::size_t>(devices_[device.value()].device->lanes());
  trace::Lane& lane =
      recorder_->lane(links_[device.value()].lane_of(0) + own_lanes + static_cast<std::size_t>(device.value()) - 1);
  for (const device::TransferEnd& end : ends) {
    const bool in = end.transfer->direction == device::Transfer::Direction::in;
    const GpuTasks::Moved moved = gpu_tasks_->moved(*end.transfer);
    lane.put(to_event(core::TransferEvent{.direction = in ? core::Direction::in : core::Direction::out,
                                          .peer = mover_.rank(),
                                          .begin_ns = end.begin_ns,
                                          .end_ns = end.end_ns}));
    lane.put(to_event(core::AccessEvent{.access = core::AccessKind::read,
                                        .data = moved.data,
                                        .reads = moved.version,
                                        .writes = core::Version(),
                                        .bytes = static_cast<std::int64_t>(end.transfer->bytes)}));
  }
  lane.publish();
}

}  // namespace penstock::backend
