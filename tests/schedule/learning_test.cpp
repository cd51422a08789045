/// The cost model and the choice of device at work together: a rank with cores and a GPU on virtual time. The GPU is
/// ten times as fast as a core in large tasks and slower in small ones; all times are noisy, and the first two on each
/// are slow.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <vector>

#include "schedule/cost_model.hpp"
#include "schedule/device_choice.hpp"
#include "schedule/placement.hpp"
#include "support/random.hpp"

namespace penstock::schedule {
namespace {

constexpr core::KernelId kernel{0};
constexpr double small = 2e4;  // flops; a core makes one in a ns
constexpr double large = 1e7;
constexpr int core_lanes = 4;

double core_ns(double amount) { return amount; }
double gpu_ns(double amount) { return 3e4 + amount / 10; }

Workload task_of(double amount) { return {.footprint = static_cast<std::uint64_t>(amount), .amount = amount}; }

struct Ending {
  double at_ns;
  std::size_t device;
  double amount;
  double took_ns;
  double predicted_ns;
  bool operator>(const Ending& other) const { return at_ns > other.at_ns; }
};

/// One kind of device with its lanes, which take tasks in order.
struct SimulatedDevice {
  double (*mean_ns)(double amount);
  std::vector<double> lane_free_at_ns;
  KindId kind = {};
  int outstanding = 0;
  double outstanding_ns = 0.0;  // as predicted
  int begun = 0;
  std::map<double, int> ran = {};  // by amount
};

class SimulatedRank {
 public:
  SimulatedRank(Policy policy, std::uint64_t seed, std::vector<SimulatedDevice> devices)
      : policy_(policy), random_(seed), devices_(std::move(devices)) {
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i].kind = model.kind(std::to_string(i));
  }

  CostModel model{{"kernel"}};

  /// Places each task as soon as there is room for it, and returns when the last one ended.
  double run(const std::vector<double>& amounts) {
    for (const double amount : amounts) {
      while (endings_.size() >= (is_known(amount) ? known_most : unknown_most)) end_one();
      place(amount);
    }
    while (!endings_.empty()) end_one();
    return now_ns_;
  }

  [[nodiscard]] const SimulatedDevice& device(std::size_t index) const { return devices_[index]; }
  [[nodiscard]] double predicted_ns(std::size_t device, double amount) {
    return model.predict_ns(kernel, devices_[device].kind, task_of(amount)).value_or(0.0);
  }

 private:
  // In hand. Of tasks that the GPU runs ten times as fast it must hold ten before it is worth to give a core one.
  static constexpr std::size_t known_most = 64;
  static constexpr std::size_t unknown_most = 2 * core_lanes;

  [[nodiscard]] bool is_known(double amount) {
    return std::ranges::any_of(devices_, [&](const SimulatedDevice& device) {
      return model.predict_ns(kernel, device.kind, task_of(amount)).has_value();
    });
  }

  [[nodiscard]] DeviceView view(const SimulatedDevice& device, double amount) {
    const int lanes = static_cast<int>(device.lane_free_at_ns.size());
    const Workload work = task_of(amount);
    return {.fit = Fit::fits,
            .is_accelerator = lanes == 1,
            .lanes = lanes,
            .outstanding = device.outstanding,
            .free_at_ns = device.outstanding < lanes ? 0.0 : device.outstanding_ns / lanes,
            .run_ns = model.predict_ns(kernel, device.kind, work),
            .trials_left = model.trials_left(kernel, device.kind, work)};
  }

  void place(double amount) {
    std::vector<DeviceView> views;
    for (const SimulatedDevice& each : devices_) views.push_back(view(each, amount));
    const std::size_t chosen = choose_device(policy_, views).value().device;
    SimulatedDevice& device = devices_[chosen];
    model.placed(kernel, device.kind, task_of(amount));
    ++device.ran[amount];
    const double took_ns = time_on(device, amount);
    const auto lane = std::ranges::min_element(device.lane_free_at_ns);
    *lane = std::max(*lane, now_ns_) + took_ns;
    const double predicted_ns = views[chosen].run_ns.value_or(unknown_task_ns);
    ++device.outstanding;
    device.outstanding_ns += predicted_ns;
    endings_.push({*lane, chosen, amount, took_ns, predicted_ns});
  }

  double time_on(SimulatedDevice& device, double amount) {
    const double noise = 0.9 + 0.2 * static_cast<double>(random_.below(1001)) / 1000;
    const double cold_ns = device.begun++ < 2 ? 2e7 : 0.0;
    const double pause = random_.below(1000) == 0 ? 10.0 : 1.0;
    return cold_ns + pause * noise * device.mean_ns(amount);
  }

  void end_one() {
    const Ending ending = endings_.top();
    endings_.pop();
    now_ns_ = ending.at_ns;
    SimulatedDevice& device = devices_[ending.device];
    --device.outstanding;
    device.outstanding_ns -= ending.predicted_ns;
    model.learn(kernel, device.kind, task_of(ending.amount), static_cast<std::int64_t>(ending.took_ns));
  }

  const Policy policy_;
  support::Random random_;
  std::vector<SimulatedDevice> devices_;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings_;
  double now_ns_ = 0.0;
};

std::vector<SimulatedDevice> cores_and_gpu() {
  return {{.mean_ns = core_ns, .lane_free_at_ns = std::vector<double>(core_lanes)},
          {.mean_ns = gpu_ns, .lane_free_at_ns = std::vector<double>(1)}};
}

constexpr int small_tasks = 10'000;
constexpr int large_tasks = 1000;

std::vector<double> mixed_tasks(std::uint64_t seed) {
  std::vector<double> amounts(small_tasks, small);
  amounts.resize(small_tasks + large_tasks, large);
  support::Random random(seed);
  for (std::size_t i = amounts.size() - 1; i > 0; --i) std::swap(amounts[i], amounts[random.below(i + 1)]);
  return amounts;
}

/// The time of the best split of the tasks between cores and GPU, all lanes busy to the end.
double best_ns() {
  double best = std::numeric_limits<double>::infinity();
  for (int large_on_gpu = 0; large_on_gpu <= large_tasks; ++large_on_gpu) {
    for (int small_on_gpu = 0; small_on_gpu <= small_tasks; small_on_gpu += 10) {
      const double on_cores =
          (large_tasks - large_on_gpu) * core_ns(large) + (small_tasks - small_on_gpu) * core_ns(small);
      const double on_gpu = large_on_gpu * gpu_ns(large) + small_on_gpu * gpu_ns(small);
      best = std::min(best, std::max(on_cores / core_lanes, on_gpu));
    }
  }
  return best;
}

class Learning : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Learning, GetsWithinATenthOfTheBestSplit) {
  SimulatedRank rank(Policy::heft, GetParam(), cores_and_gpu());

  const double took_ns = rank.run(mixed_tasks(GetParam()));

  EXPECT_LT(took_ns, 1.1 * best_ns());
}

TEST_P(Learning, IsWhatMakesTheDifference) {
  SimulatedRank rank(Policy::eager, GetParam(), cores_and_gpu());

  const double took_ns = rank.run(mixed_tasks(GetParam()));

  EXPECT_GT(took_ns, 1.15 * best_ns());
}

TEST_P(Learning, KnowsTheTimesInTheEnd) {
  SimulatedRank rank(Policy::heft, GetParam(), cores_and_gpu());

  rank.run(mixed_tasks(GetParam()));

  for (const double amount : {small, large}) {
    EXPECT_NEAR(rank.predicted_ns(0, amount), core_ns(amount), 0.1 * core_ns(amount));
    EXPECT_NEAR(rank.predicted_ns(1, amount), gpu_ns(amount), 0.1 * gpu_ns(amount));
  }
  EXPECT_GT(rank.device(1).ran.at(large), large_tasks / 2);
  EXPECT_GT(rank.device(0).ran.at(small), small_tasks / 2);
}

TEST_P(Learning, GivesNoMoreThanTrialsToAHopelessDevice) {
  const auto hopeless_ns = [](double amount) { return 1000 * amount; };
  SimulatedRank rank(Policy::heft, GetParam(),
                     {{.mean_ns = core_ns, .lane_free_at_ns = std::vector<double>(core_lanes)},
                      {.mean_ns = hopeless_ns, .lane_free_at_ns = std::vector<double>(1)}});

  rank.run(std::vector<double>(1000, large));

  EXPECT_GT(rank.device(1).ran.at(large), 0);
  EXPECT_LE(rank.device(1).ran.at(large), CostHistory::trials);
}

TEST_P(Learning, FindsTheDeviceThatWasSlowWhenItWasCold) {
  SimulatedRank rank(Policy::heft, GetParam(), cores_and_gpu());

  rank.run(std::vector<double>(200, large));

  EXPECT_GT(rank.device(1).ran.at(large), 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Learning, testing::Range<std::uint64_t>(1, 6));

}  // namespace
}  // namespace penstock::schedule
