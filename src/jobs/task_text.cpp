#include "jobs/task_text.hpp"

namespace penstock::jobs {

namespace {

template <class Condition>
std::string names(const Job& job, std::span<const DatumAccess> accesses, Condition condition) {
  std::string list;
  for (const DatumAccess& access : accesses) {
    if (!condition(access.mode)) continue;
    if (!list.empty()) list += ", ";
    list += job.datum_name(access.datum);
  }
  return list;
}

}  // namespace

TaskText task_text(const Job& job, const Step& step) {
  const std::string read = names(job, step.accesses, reads);
  const std::string written = names(job, step.accesses, writes);
  return {.name = step.name.empty() ? step.kernel->name : std::string(step.name),
          .accesses = written.empty() ? read : read + (read.empty() ? "-> " : " -> ") + written,
          .place = std::string(step.place.file) + ':' + std::to_string(step.place.line)};
}

std::string to_line(const TaskText& task) {
  return task.name + (task.accesses.empty() ? "" : " ") + task.accesses + " (" + task.place + ')';
}

}  // namespace penstock::jobs
