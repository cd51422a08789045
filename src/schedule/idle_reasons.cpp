#include "schedule/idle_reasons.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace penstock::schedule {

namespace {

constexpr std::size_t kernels_told = 3;
constexpr std::size_t no_body = 0;
constexpr std::size_t too_large = 1;

/// A reason for one task and for several; {body} and {other} are replaced.
struct Wording {
  std::string_view one;
  std::string_view several;
};
constexpr std::array<Wording, 8> wordings{{
    {"had no {body} body", "had no {body} body"},
    {"was too large for its memory", "were too large for its memory"},
    {"was left to accelerators", "were left to accelerators"},
    {"came after it had failed", "came after it had failed"},
    {"found a lane free sooner {other}", "found a lane free sooner {other}"},
    {"found more of its data {other}", "found more of their data {other}"},
    {"was predicted to end sooner {other}", "were predicted to end sooner {other}"},
    {"was tried {other} to learn its time", "were tried {other} to learn their times"},
}};

void replace(std::string& text, std::string_view mark, std::string_view by) {
  if (const std::size_t at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), by);
}

}  // namespace

IdleReasons::IdleReasons(std::vector<Device> devices, std::vector<std::string_view> kernels)
    : devices_(std::move(devices)), kernels_(std::move(kernels)), counts_(devices_.size()) {}

void IdleReasons::placed(core::KernelId kernel, std::span<const DeviceView> views, const Choice& choice) {
  ++tasks_;
  for (std::size_t device = 0; device < counts_.size(); ++device) {
    Counts& counts = counts_[device];
    if (device == choice.device) {
      ++counts.ran;
    } else {
      passed_over(counts.reasons[reason_of(views[device].fit, choice.why)], kernel, choice.device);
    }
  }
}

std::size_t IdleReasons::reason_of(Fit fit, Why why) {
  constexpr auto first_fit = static_cast<std::size_t>(Fit::no_body);
  constexpr auto first_why = static_cast<std::size_t>(Why::free_first);
  constexpr std::size_t fits = reason_count - (static_cast<std::size_t>(Why::explores) - first_why + 1);
  static_assert(fits == static_cast<std::size_t>(Fit::failed) - first_fit + 1 && reason_count == wordings.size());
  return fit != Fit::fits ? static_cast<std::size_t>(fit) - first_fit
                          : fits + static_cast<std::size_t>(why) - first_why;
}

void IdleReasons::passed_over(Reason& reason, core::KernelId kernel, std::size_t taken_by) const {
  if (reason.tasks == 0) {
    reason.taken_by = taken_by;
    reason.by_kernel.resize(kernels_.size());
  }
  ++reason.tasks;
  ++reason.by_kernel[kernel.value()];
  if (reason.taken_by != taken_by) reason.taken_by_several = true;
}

std::string IdleReasons::line(std::size_t device) const {
  if (tasks_ == 0) return {};
  const Counts& counts = counts_[device];
  std::array<std::size_t, reason_count> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t reason) { return counts.reasons[reason].tasks; });
  std::string line = devices_[device].name + " ran " + std::to_string(counts.ran) + " of " + std::to_string(tasks_) +
                     (tasks_ == 1 ? " task" : " tasks");
  std::string_view separator = ": ";
  for (const std::size_t reason : order) {
    if (counts.reasons[reason].tasks == 0) break;
    line += separator;
    line += text(device, reason);
    separator = ", ";
  }
  return line;
}

std::string IdleReasons::text(std::size_t device, std::size_t reason) const {
  const Reason& counted = counts_[device].reasons[reason];
  const Wording& wording = wordings[reason];
  std::string text = std::to_string(counted.tasks) + " ";
  text += counted.tasks == 1 ? wording.one : wording.several;
  replace(text, "{body}", devices_[device].body);
  replace(text, "{other}", counted.taken_by_several ? "elsewhere" : "on " + devices_[counted.taken_by].name);
  if (reason == no_body || reason == too_large) text += kernels_text(counted);
  return text;
}

std::string IdleReasons::kernels_text(const Reason& reason) const {
  std::vector<std::size_t> kernels(reason.by_kernel.size());
  std::iota(kernels.begin(), kernels.end(), std::size_t{0});
  std::erase_if(kernels, [&](std::size_t kernel) { return reason.by_kernel[kernel] == 0; });
  std::ranges::stable_sort(kernels, std::greater(), [&](std::size_t kernel) { return reason.by_kernel[kernel]; });
  std::string text;
  for (const std::size_t kernel : std::span(kernels).first(std::min(kernels.size(), kernels_told))) {
    text += text.empty() ? " (" : ", ";
    text += std::string(kernels_[kernel]) + " " + std::to_string(reason.by_kernel[kernel]);
  }
  if (kernels.size() > kernels_told) text += ", " + std::to_string(kernels.size() - kernels_told) + " more kernels";
  return text + ")";
}

}  // namespace penstock::schedule
