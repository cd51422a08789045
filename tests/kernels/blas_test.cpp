#include "kernels/blas.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace penstock::kernels {
namespace {

TEST(Blas, ComputesOnTheCallingThreadAlone) {
  const auto threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  const auto set_threads = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (threads == nullptr || set_threads == nullptr) GTEST_SKIP() << "the BLAS that was linked is not OpenBLAS";
  set_threads(2);

  blas_use_one_thread();

  EXPECT_EQ(threads(), 1);
}

}  // namespace
}  // namespace penstock::kernels
