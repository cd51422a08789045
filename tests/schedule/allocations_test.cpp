/// Counts what this test program allocates: a prediction is made for each device of each task, under a mutex.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>

#include "schedule/cost_model.hpp"
#include "schedule/device_choice.hpp"

namespace {

std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace penstock::schedule {
namespace {

constexpr core::KernelId kernel{0};

TEST(Allocations, AreNotMadeToPredict) {
  CostModel model({"kernel"});
  const KindId kind = model.kind("cpu");
  for (int i = 0; i < 100; ++i) model.learn(kernel, kind, {.footprint = 1, .amount = double(i)}, 1000);
  const std::size_t before = allocations;

  double sum = 0.0;
  for (int i = 0; i < 300; ++i) sum += model.predict_ns(kernel, kind, {.footprint = 1, .amount = i / 2.0}).value();

  EXPECT_EQ(allocations, before);
  EXPECT_GT(before, 0u);
  EXPECT_GT(sum, 0.0);
}

TEST(Allocations, AreNotMadeToChoose) {
  const std::array<DeviceView, 2> views{{{.fit = Fit::fits, .run_ns = 10}, {.fit = Fit::fits, .run_ns = 5}}};
  const std::size_t before = allocations;

  const auto choice = choose_device(Policy::heft, views);

  EXPECT_EQ(allocations, before);
  EXPECT_EQ(choice->device, 1u);
}

}  // namespace
}  // namespace penstock::schedule
