#include <gtest/gtest.h>
#include <time.h>

#include <chrono>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

namespace penstock::kernels {
namespace {

TEST(Spin, TakesAtLeastTheTimeItIsGiven) {
  for (const double microseconds : {0.0, 0.5, 20.0, 3000.0}) {
    const auto begin = std::chrono::steady_clock::now();

    call(spin_kernel(), {}, {{"microseconds", microseconds}});

    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(taken.count(), microseconds);
  }
}

/// Time in which this thread had a core.
double core_microseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

TEST(Sleep, TakesAtLeastTheTimeItIsGivenButNotTheCore) {
  const auto begin = std::chrono::steady_clock::now();
  const double core_begin = core_microseconds();

  call(sleep_kernel(), {}, {{"microseconds", 30'000.0}});

  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(taken.count(), 30'000.0);
  EXPECT_LT(core_microseconds() - core_begin, 15'000.0);
}

TEST(Sleep, RefusesATimeThatIsNone) {
  EXPECT_EQ(error_of([] {
              call(sleep_kernel(), {}, {{"microseconds", -1.0}});
            }),
            "sleep: microseconds is -1, but needs to be from 0 to 1e+12");
}

}  // namespace
}  // namespace penstock::kernels
