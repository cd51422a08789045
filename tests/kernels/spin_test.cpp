#include <gtest/gtest.h>

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

}  // namespace
}  // namespace penstock::kernels
