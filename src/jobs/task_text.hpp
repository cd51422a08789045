/// Tasks of a job as a person would write them. Pure.
#pragma once

#include <span>
#include <string>

#include "jobs/job.hpp"

namespace penstock::jobs {

struct TaskText {
  std::string name;      ///< that of its entry, else its kernel's
  std::string accesses;  ///< "A[0], B -> C[0]"; what is read and written stands on both sides
  std::string place;     ///< "jobs/x.toml:12"
};

/// `step` is a task or a save of a stream of this job.
[[nodiscard]] TaskText task_text(const Job& job, const Step& step);

/// "gemm A[0], B -> C[0] (jobs/x.toml:12)"
[[nodiscard]] std::string to_line(const TaskText& task);

}  // namespace penstock::jobs
