/// The graph of a job as a picture: GraphViz's language, for `dot`. Called by `penstock check` on its main thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jobs/graph_summary.hpp"
#include "jobs/job.hpp"

namespace penstock::jobs {

/// More than this nobody can look at, and few programs can draw.
inline constexpr std::int64_t graph_tasks_max = 100'000;

/// A node for each task, origins and saves included, in boxes by the line of the job file that they come from; an edge
/// from the task that makes a version to each that reads it, with the datum's name. Nodes are t0, t1, ... in the order
/// of the job, and c0, c1, ... where tasks have reduced into a datum that is then read. Throws Error: invalid_argument
/// for more than `tasks_max` tasks, bad_job for what only shows in the stream.
[[nodiscard]] std::string graph_dot(const Job& job, const Watch& watch = {}, std::int64_t tasks_max = graph_tasks_max);

/// `text` between the double quotes of a label or name: quotes, backslashes and ampersands stand for themselves, a line
/// break is one, other control characters are spaces. Pure.
[[nodiscard]] std::string dot_escaped(std::string_view text);

}  // namespace penstock::jobs
