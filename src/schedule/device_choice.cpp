#include "schedule/device_choice.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include <penstock/error.hpp>

namespace penstock::schedule {

namespace {

using Devices = std::span<const DeviceView>;

constexpr std::array<std::string_view, 3> policy_names{"eager", "locality", "heft"};
constexpr int overload = 4;  // so many pieces a lane: enough that the next task's inputs come in meanwhile

bool fits(const DeviceView& view) { return view.fit == Fit::fits; }

/// The least key among the devices that `may` allows, the lowest index first. Keys are tuples, or nothing.
template <class May, class Key>
std::optional<std::size_t> least(Devices devices, const May& may, const Key& key) {
  std::optional<std::size_t> best;
  for (std::size_t index = 0; index < devices.size(); ++index) {
    if (!fits(devices[index]) || !may(devices[index])) continue;
    if (!best || key(devices[index]) < key(devices[*best])) best = index;
  }
  return best;
}

bool anyone(const DeviceView&) { return true; }

double queue_of(const DeviceView& view) {
  return view.outstanding < view.lanes ? 0.0 : static_cast<double>(view.outstanding) / view.lanes;
}

auto eager_key(const DeviceView& view) { return std::tuple(view.free_at_ns, queue_of(view), !view.is_accelerator); }

double begin_ns(const DeviceView& view) { return std::max(view.free_at_ns, view.transfer_ns); }

double finish_ns(const DeviceView& view) { return begin_ns(view) + view.run_ns.value_or(0.0); }

std::optional<Choice> choice(std::optional<std::size_t> device, Why why) {
  if (!device) return std::nullopt;
  return Choice{.device = *device, .why = why};
}

std::optional<Choice> choose_eager(Devices devices) {
  return choice(least(devices, anyone, eager_key), Why::free_first);
}

std::optional<Choice> choose_by_data(Devices devices) {
  const bool lane_is_free =
      std::ranges::any_of(devices, [](const DeviceView& view) { return fits(view) && view.outstanding < view.lanes; });
  const auto not_overloaded = [&](const DeviceView& view) {
    return !lane_is_free || view.outstanding < overload * view.lanes;
  };
  const auto best = least(devices, not_overloaded, [](const DeviceView& view) {
    return std::tuple_cat(std::tuple(view.missing_bytes), eager_key(view));
  });
  const bool has_more = best && std::ranges::any_of(devices, [&](const DeviceView& view) {
                          return fits(view) && view.missing_bytes > devices[*best].missing_bytes;
                        });
  return choice(best, has_more ? Why::has_data : Why::free_first);
}

std::optional<Choice> choose_by_finish(Devices devices) {
  const auto is_known = [](const DeviceView& view) { return view.run_ns.has_value(); };
  const auto best = least(devices, is_known, [](const DeviceView& view) {
    return std::tuple_cat(std::tuple(finish_ns(view)), eager_key(view));
  });
  const auto may_try = [&](const DeviceView& view) {
    return view.trials_left > 0 && (!best || begin_ns(view) <= finish_ns(devices[*best]));
  };
  const auto tried = least(devices, may_try, [](const DeviceView& view) {
    return std::tuple_cat(std::tuple(begin_ns(view), -view.trials_left), eager_key(view));
  });
  if (tried) return choice(tried, Why::explores);
  return best ? choice(best, Why::finishes_first) : choose_eager(devices);
}

}  // namespace

Policy policy_of(std::string_view name) {
  const auto found = std::ranges::find(policy_names, name);
  if (found != policy_names.end()) return static_cast<Policy>(found - policy_names.begin());
  throw Error(ErrorCode::invalid_argument,
              "the placement is \"" + std::string(name) + "\", but needs to be one of eager, locality and heft");
}

std::string_view name_of(Policy policy) { return policy_names[static_cast<std::size_t>(policy)]; }

std::optional<Choice> choose_device(Policy policy, Devices devices) {
  if (std::ranges::count_if(devices, fits) == 1) return choice(least(devices, anyone, eager_key), Why::only_one);
  switch (policy) {
    case Policy::eager:
      return choose_eager(devices);
    case Policy::locality:
      return choose_by_data(devices);
    case Policy::heft:
      return choose_by_finish(devices);
  }
  return std::nullopt;
}

}  // namespace penstock::schedule
