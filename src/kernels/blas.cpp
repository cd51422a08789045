#include "kernels/blas.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace penstock::kernels {

namespace {

/// Calls `name`(1) if any library of this process has it.
template <class Integer>
void call_with_one(const char* name) {
  if (void* const function = dlsym(RTLD_DEFAULT, name)) reinterpret_cast<void (*)(Integer)>(function)(1);
}

}  // namespace

// By name at run time: a program may be started with another BLAS than it was linked with (Debian's alternatives,
// FlexiBLAS), and each has a function of its own for this.
void blas_use_one_thread() {
  call_with_one<int>("openblas_set_num_threads");
  call_with_one<int>("flexiblas_set_num_threads");
  call_with_one<int>("MKL_Set_Num_Threads");
  call_with_one<std::int64_t>("bli_thread_set_num_threads");
}

}  // namespace penstock::kernels
