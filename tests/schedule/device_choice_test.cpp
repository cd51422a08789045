#include "schedule/device_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <penstock/error.hpp>

#include <vector>

namespace penstock::schedule {
namespace {

using Views = std::vector<DeviceView>;

constexpr double ms = 1e6;

DeviceView cores(int outstanding = 0) {
  return {.fit = Fit::fits, .is_accelerator = false, .lanes = 8, .outstanding = outstanding};
}

DeviceView gpu(int outstanding = 0) {
  return {.fit = Fit::fits, .is_accelerator = true, .lanes = 2, .outstanding = outstanding};
}

DeviceView unfit(DeviceView view, Fit fit = Fit::no_body) {
  view.fit = fit;
  return view;
}

DeviceView free_at(DeviceView view, double ns) {
  view.free_at_ns = ns;
  return view;
}

DeviceView missing(DeviceView view, std::int64_t bytes) {
  view.missing_bytes = bytes;
  return view;
}

/// Known to run the task in so long.
DeviceView runs(DeviceView view, double run_ns, double free_at_ns = 0, double transfer_ns = 0) {
  view.run_ns = run_ns;
  view.free_at_ns = free_at_ns;
  view.transfer_ns = transfer_ns;
  return view;
}

DeviceView trials(DeviceView view, int left) {
  view.trials_left = left;
  return view;
}

Choice eager(const Views& views) { return choose_device(Policy::eager, views).value(); }
Choice locality(const Views& views) { return choose_device(Policy::locality, views).value(); }
Choice heft(const Views& views) { return choose_device(Policy::heft, views).value(); }

// --- policies by name ---

TEST(Policy, IsFoundByItsName) {
  for (const Policy policy : {Policy::eager, Policy::locality, Policy::heft}) {
    EXPECT_EQ(policy_of(name_of(policy)), policy);
  }
  EXPECT_EQ(policy_of("eager"), Policy::eager);
  EXPECT_EQ(default_policy, Policy::heft);
}

TEST(Policy, IsRefusedWithTheNamesThatThereAre) {
  for (const char* const name : {"dmda", "", "Heft"}) {
    try {
      static_cast<void>(policy_of(name));
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_EQ(error.what(),
                "the placement is \"" + std::string(name) + "\", but needs to be one of eager, locality and heft");
    }
  }
}

// --- every policy ---

class EveryPolicy : public testing::TestWithParam<Policy> {};

TEST_P(EveryPolicy, FindsNoneThatDoesNotFit) {
  EXPECT_EQ(choose_device(GetParam(), {}), std::nullopt);
  EXPECT_EQ(choose_device(GetParam(), Views{unfit(cores()), unfit(gpu(), Fit::too_large), unfit(gpu(), Fit::failed),
                                            unfit(gpu(), Fit::kept_free)}),
            std::nullopt);
}

TEST_P(EveryPolicy, TakesTheOnlyOneThatFitsHoweverBad) {
  const DeviceView bad = missing(runs(cores(99), 100 * ms, 100 * ms), 1 << 30);

  EXPECT_EQ(choose_device(GetParam(), Views{bad, unfit(trials(runs(gpu(), 1), 4))}), (Choice{0, Why::only_one}));
}

TEST_P(EveryPolicy, TakesAnAcceleratorAmongEqualsThenTheLowest) {
  EXPECT_EQ(choose_device(GetParam(), Views{cores(), gpu(), gpu()}).value().device, 1u);
  EXPECT_EQ(choose_device(GetParam(), Views{cores(), cores()}).value().device, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPolicy, testing::Values(Policy::eager, Policy::locality, Policy::heft),
                         [](const auto& each) { return std::string(name_of(each.param)); });

// --- eager ---

TEST(Eager, TakesTheLaneThatIsFreeFirst) {
  EXPECT_EQ(eager({free_at(cores(), 3), free_at(gpu(), 5)}), (Choice{0, Why::free_first}));
  EXPECT_EQ(eager({free_at(cores(), 5), free_at(gpu(), 3)}), (Choice{1, Why::free_first}));
}

TEST(Eager, ThenTheShorterQueuePerLane) {
  EXPECT_EQ(eager({cores(40), gpu(8)}).device, 1u);
  EXPECT_EQ(eager({cores(40), gpu(12)}).device, 0u);
  EXPECT_EQ(eager({cores(0), gpu(2), gpu(1)}).device, 2u);
}

TEST(Eager, TakesOneFreeLaneToBeAsGoodAsMany) {
  EXPECT_EQ(eager({cores(0), gpu(1)}).device, 1u);
  EXPECT_EQ(eager({cores(0), gpu(2)}).device, 0u);
}

// --- locality ---

TEST(Locality, TakesTheDeviceThatMissesLeast) {
  EXPECT_EQ(locality({missing(cores(), 10), missing(gpu(), 20)}), (Choice{0, Why::has_data}));
  EXPECT_EQ(locality({missing(free_at(cores(7), 9 * ms), 10), missing(gpu(), 11)}), (Choice{0, Why::has_data}));
}

TEST(Locality, TakesTheFirstFreeOfThoseThatMissAsMuch) {
  EXPECT_EQ(locality({missing(free_at(cores(), 3), 10), missing(free_at(gpu(), 5), 10)}), (Choice{0, Why::free_first}));
}

TEST(Locality, LeavesOutAnOverloadedDevice) {
  EXPECT_EQ(locality({missing(cores(7), 10), missing(gpu(7), 0)}), (Choice{1, Why::has_data}));
  EXPECT_EQ(locality({missing(cores(7), 10), missing(gpu(8), 0)}), (Choice{0, Why::free_first}));
}

TEST(Locality, CallsNoneOverloadedWhileNoLaneIsFree) {
  EXPECT_EQ(locality({missing(cores(8), 10), missing(gpu(80), 0)}), (Choice{1, Why::has_data}));
  EXPECT_EQ(locality({missing(cores(8), 10), missing(gpu(80), 0), unfit(gpu(0))}).device, 1u);
}

// --- heft ---

TEST(Heft, TakesTheDeviceThatFinishesFirst) {
  EXPECT_EQ(heft({runs(cores(), 10 * ms), runs(gpu(), ms)}), (Choice{1, Why::finishes_first}));
  EXPECT_EQ(heft({runs(cores(), ms), runs(gpu(), 10 * ms)}), (Choice{0, Why::finishes_first}));
}

TEST(Heft, CountsTheQueue) {
  EXPECT_EQ(heft({runs(cores(), 10 * ms), runs(gpu(), ms, 8 * ms)}).device, 1u);
  EXPECT_EQ(heft({runs(cores(), 10 * ms), runs(gpu(), ms, 10 * ms)}).device, 0u);
}

TEST(Heft, CountsTransfersAsFarAsTheyOutlastTheQueue) {
  EXPECT_EQ(heft({runs(cores(), 10 * ms), runs(gpu(), ms, 5 * ms, 8 * ms)}).device, 1u);
  EXPECT_EQ(heft({runs(cores(), 10 * ms), runs(gpu(), ms, 5 * ms, 10 * ms)}).device, 0u);
}

TEST(Heft, TriesADeviceThatHasTrialsLeft) {
  EXPECT_EQ(heft({runs(cores(), ms), trials(gpu(), 1)}), (Choice{1, Why::explores}));
  EXPECT_EQ(heft({trials(runs(cores(), 50 * ms), 1), runs(gpu(), ms)}), (Choice{0, Why::explores}));
}

TEST(Heft, TriesOnlyWhereTheTrialBeginsBeforeTheBestEnds) {
  EXPECT_EQ(heft({runs(cores(), ms), trials(free_at(gpu(), ms), 4)}), (Choice{1, Why::explores}));
  EXPECT_EQ(heft({runs(cores(), ms), trials(free_at(gpu(), 1.01 * ms), 4)}), (Choice{0, Why::finishes_first}));
}

TEST(Heft, TriesTheFreeOneThenTheLessTriedOne) {
  EXPECT_EQ(heft({trials(free_at(cores(), 5), 4), trials(gpu(), 1)}).device, 1u);
  EXPECT_EQ(heft({trials(cores(), 4), trials(gpu(), 3)}).device, 0u);
  EXPECT_EQ(heft({trials(cores(), 3), trials(gpu(), 3)}).device, 1u);
}

TEST(Heft, GivesNothingMoreToAnUnknownDeviceBesideAKnownOne) {
  EXPECT_EQ(heft({runs(cores(), 100 * ms, 100 * ms), gpu()}), (Choice{0, Why::finishes_first}));
}

TEST(Heft, IsEagerWhileNoTimeIsKnown) {
  EXPECT_EQ(heft({free_at(cores(), 3), free_at(gpu(), 5)}), (Choice{0, Why::free_first}));
  EXPECT_EQ(heft({cores(0), gpu(2)}), (Choice{0, Why::free_first}));
}

TEST(Heft, DoesNotTryWhatDoesNotFit) {
  EXPECT_EQ(heft({runs(cores(), 9 * ms), trials(unfit(gpu()), 4), runs(gpu(), ms)}), (Choice{2, Why::finishes_first}));
}

}  // namespace
}  // namespace penstock::schedule
