/// The placement decisions: how much a rank may hold and which rank takes a task. Pure functions of a view; ties
/// break by the lowest id, so the same view always gives the same answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/ids.hpp"

namespace penstock::schedule {

/// A rank as the front-end sees it when it places a task.
struct RankView {
  bool has_credit = false;  ///< it may be given a task now
  double in_hand_ns = 0.0;  ///< predicted time of the tasks it holds, summed over their cores
  int cores = 1;
};

/// The rank that is given the next task: among those with credit the least loaded per core, then the lowest. None when
/// nobody has credit.
[[nodiscard]] std::optional<core::RankId> choose_rank(std::span<const RankView> ranks);

/// A rank that holds some of a task's inputs.
struct HolderView {
  core::RankId rank;
  std::int64_t missing_bytes = 0;  ///< this task's share of what it would have to fetch
};

/// The rank that a task with inputs had better run on: the one that must fetch the fewest bytes, then the lowest. None
/// for a task without inputs.
[[nodiscard]] std::optional<core::RankId> choose_holder(std::span<const HolderView> holders);

/// Whether a rank ought to be given another task: it holds what it is running and at least as much again, and of short
/// tasks so many that a round trip to the front-end never idles it. `in_hand` and `in_hand_ns` count a task once a
/// core.
[[nodiscard]] bool has_credit(int cores, int in_hand, double in_hand_ns);

/// The time to predict for a task of a kernel that has not ended anywhere yet: long, so that it binds late.
inline constexpr double unknown_task_ns = 5e6;

/// The new mean after a task that took `latest_ns`; `mean_ns` is 0 while nothing is known.
[[nodiscard]] double updated_mean(double mean_ns, double latest_ns);

}  // namespace penstock::schedule
