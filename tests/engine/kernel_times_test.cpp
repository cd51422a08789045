// Which kernels are taken for short.
#include "engine/kernel_times.hpp"

#include <gtest/gtest.h>

namespace penstock::engine {
namespace {

constexpr core::KernelId kernel{1};
constexpr std::int64_t short_time = KernelTimes::short_ns;
constexpr std::int64_t long_time = KernelTimes::short_ns + 1;

void observe(KernelTimes& times, std::uint32_t count, std::int64_t ns) {
  for (std::uint32_t i = 0; i < count; ++i) times.observe(kernel, ns);
}

TEST(KernelTimes, TakesAKernelForShortAfterEnoughShortTasksInARow) {
  KernelTimes times(2);

  observe(times, KernelTimes::proof - 1, short_time);
  EXPECT_FALSE(times.is_short(kernel));
  observe(times, 1, long_time);
  observe(times, KernelTimes::proof - 1, short_time);
  EXPECT_FALSE(times.is_short(kernel));
  observe(times, 1, short_time);
  EXPECT_TRUE(times.is_short(kernel));
  EXPECT_FALSE(times.is_short(core::KernelId(0)));
}

TEST(KernelTimes, ForgivesAKernelThatWasShortForLongOneTask) {
  KernelTimes times(2);

  observe(times, 1'000, short_time);
  observe(times, 1, long_time);
  EXPECT_TRUE(times.is_short(kernel));
  observe(times, 1, long_time);
  EXPECT_FALSE(times.is_short(kernel));
}

TEST(KernelTimes, ForgetsAllInDoubt) {
  KernelTimes times(2);
  observe(times, 1'000, short_time);

  times.doubt();

  EXPECT_FALSE(times.is_short(kernel));
  observe(times, KernelTimes::proof - 1, short_time);
  EXPECT_FALSE(times.is_short(kernel));
}

}  // namespace
}  // namespace penstock::engine
