/// Which of a rank's devices runs a task. Pure functions of a view that the back-end makes for each task; ties break by
/// the lowest index, so the same view always gives the same answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace penstock::schedule {

enum class Policy : std::uint8_t {
  eager,     ///< the device with a free lane first
  locality,  ///< the device that has most of the data, unless it is overloaded
  heft,      ///< the device that is predicted to end the task first
};

inline constexpr Policy default_policy = Policy::heft;

/// Throws Error (invalid_argument), one line with the name and those that there are.
[[nodiscard]] Policy policy_of(std::string_view name);
[[nodiscard]] std::string_view name_of(Policy policy);

/// Whether a device can run the task, or why not.
enum class Fit : std::uint8_t {
  fits,
  no_body,    ///< the kernel has no body for it
  too_large,  ///< its memory cannot hold the task's arrays at once
  kept_free,  ///< it is to run only what nothing else can
  failed,     ///< it is out of order
};

/// A device as one task sees it. Times are predicted, in ns from now, never negative.
struct DeviceView {
  Fit fit = Fit::no_body;
  bool is_accelerator = false;
  int lanes = 1;
  int outstanding = 0;                ///< pieces of work given to it and not completed
  double free_at_ns = 0.0;            ///< when a lane is free
  double transfer_ns = 0.0;           ///< how long it takes to bring what is missing
  std::int64_t missing_bytes = 0;     ///< of the task's inputs, not in its memory
  std::optional<double> run_ns = {};  ///< of the task; nothing: unknown
  int trials_left = 0;                ///< CostModel::trials_left()
};

/// What decided for a device.
enum class Why : std::uint8_t { only_one, free_first, has_data, finishes_first, explores };

struct Choice {
  std::size_t device = 0;
  Why why = Why::only_one;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// The device for a task; none when no device fits.
///
/// eager: the one whose lane is free first, then the shorter queue per lane, then accelerators, then the lowest index.
///
/// locality: the one with the fewest missing bytes, then as eager. A device is overloaded, and left out, when it has
/// four pieces of work or more a lane while another that fits has a free lane.
///
/// heft: the least of max(free_at, transfer) + run, then as eager: transfers overlap the queue, for a task's inputs are
/// fetched from when it is given to the device, while the lanes still work on what was there before. (Transfers of
/// several waiting tasks share a link; the owner counts that into transfer_ns.) Before that, a device with trials left
/// takes the task if it can begin it no later than the best of the others would end it, so that a trial costs no more
/// than its own run. Without trials left a device whose time is unknown gets nothing as long as that of another is
/// known; while none is known, as eager.
[[nodiscard]] std::optional<Choice> choose_device(Policy policy, std::span<const DeviceView> devices);

}  // namespace penstock::schedule
