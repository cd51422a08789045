#include "schedule/cost_history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

namespace penstock::schedule {

namespace {

/// The amount as all below may rely on: finite, not negative.
Workload sane(Workload work) {
  if (!std::isfinite(work.amount) || work.amount < 0.0) work.amount = 0.0;
  return work;
}

bool differ_much(double left_ns, double right_ns) {
  return std::max(left_ns, right_ns) > CostHistory::odd_factor * std::min(left_ns, right_ns);
}

struct Point {
  double amount;
  double ns;
};

/// Between two points, on the power law through both; a straight line where one has no amount to take a power of.
double between(double amount, const Point& below, const Point& above) {
  if (below.amount <= 0.0) return below.ns + (above.ns - below.ns) * (amount / above.amount);
  const double share = std::log(amount / below.amount) / std::log(above.amount / below.amount);
  return below.ns * std::pow(above.ns / below.ns, share);
}

/// Beyond all points, in proportion to the amount.
double beyond(double amount, const Point& nearest) {
  return nearest.amount > 0.0 ? nearest.ns * (amount / nearest.amount) : nearest.ns;
}

}  // namespace

void CostHistory::learn(Workload work, double ns) {
  work = sane(work);
  Position position = find(work);
  if (!is_at(position, work)) {
    if (known_.size() == footprints_most) {
      forget_oldest();
      position = find(work);
    }
    position = known_.insert(position, {.work = work, .mean_ns = ns});
  }
  add(*position, ns);
  position->used = ++uses_;
}

std::optional<double> CostHistory::predict_ns(Workload work) {
  if (known_.empty()) return std::nullopt;
  work = sane(work);
  const Position position = find(work);
  if (!is_at(position, work)) return estimate_ns(work.amount, position);
  position->used = ++uses_;
  return position->mean_ns;
}

void CostHistory::placed(const Workload& work) {
  std::uint8_t& count = placed_[magnitude_of(work)];
  if (count < trials) ++count;
}

void CostHistory::recall(Workload work, double mean_ns, std::uint32_t samples) {
  work = sane(work);
  placed_[magnitude_of(work)] = trials;
  const Position position = find(work);
  if (known_.size() == footprints_most || is_at(position, work)) return;
  known_.insert(position, {.work = work, .mean_ns = mean_ns, .samples = std::min(samples, few_samples - 1)});
}

std::size_t CostHistory::magnitude_of(const Workload& work) {
  const double amount = sane(work).amount;
  return amount < 1.0 ? 0 : std::min(static_cast<std::size_t>(std::ilogb(amount)) / 3, magnitudes - 1);
}

void CostHistory::add(Known& known, double ns) {
  if (differ_much(known.mean_ns, ns)) {
    add_odd(known, ns);
    return;
  }
  known.odd = 0;
  known.samples = std::min(known.samples, mean_of - 1) + 1;
  known.mean_ns += (ns - known.mean_ns) / known.samples;
}

void CostHistory::add_odd(Known& known, double ns) {
  if (known.odd > 0 && differ_much(known.odd_mean_ns, ns)) known.odd = 0;
  known.odd_mean_ns = known.odd == 0 ? ns : known.odd_mean_ns + (ns - known.odd_mean_ns) / (known.odd + 1);
  ++known.odd;
  const bool replaces = known.samples < few_samples && ns < known.mean_ns;
  if (!replaces && known.odd < odd_in_a_row) return;
  known.mean_ns = known.odd_mean_ns;
  known.samples = known.odd;
  known.odd = 0;
}

CostHistory::Position CostHistory::find(const Workload& work) {
  return std::ranges::lower_bound(known_, std::tuple(work.amount, work.footprint), {}, [](const Known& known) {
    return std::tuple(known.work.amount, known.work.footprint);
  });
}

bool CostHistory::is_at(Position position, const Workload& work) const {
  return position != known_.end() && position->work.amount == work.amount && position->work.footprint == work.footprint;
}

void CostHistory::forget_oldest() { known_.erase(std::ranges::min_element(known_, {}, &Known::used)); }

double CostHistory::estimate_ns(double amount, Position above) const {
  const auto at = [this](const Known& known) {
    return Point{.amount = known.work.amount, .ns = median_ns(known.work.amount)};
  };
  if (above == known_.begin()) return beyond(amount, at(*above));
  const Position below = std::prev(above);
  if (above == known_.end()) return beyond(amount, at(*below));
  if (above->work.amount == amount) return median_ns(amount);
  return between(amount, at(*below), at(*above));
}

double CostHistory::median_ns(double amount) const {
  std::array<double, footprints_most> means{};
  std::size_t count = 0;
  for (const Known& known : known_) {
    if (known.work.amount == amount) means[count++] = known.mean_ns;
  }
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(means.begin(), middle, means.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

}  // namespace penstock::schedule
