// The kernels of the CUDA module, compiled for the host: a part of the emulator, so that any program that loads the
// module finds them.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "cuda_emulator/on_host.hpp"

#include "device/cuda/kernels/elementwise.cuh"
#include "device/cuda/kernels/matrix.cuh"
#include "device/cuda/kernels/numbers.cuh"
#include "device/cuda/kernels/reduce.cuh"

namespace penstock::device {
namespace {

/// As this library exports the function, its symbol is the name that nvcc gives the kernel.
template <auto Kernel>
const char* name_of_kernel() {
  void* const address = reinterpret_cast<void*>(Kernel);
  Dl_info info{};
  if (dladdr(address, &info) != 0 && info.dli_saddr == address) return info.dli_sname;
  std::fputs("the emulated CUDA does not know the name of one of its bodies\n", stderr);
  std::abort();
}

template <auto Kernel>
void bring() {
  using Body = emulator::Body<Kernel>;
  static const emulator::KernelBody body{name_of_kernel<Kernel>(), Body::argument_bytes, Body::argument_count,
                                         &Body::run};
  penstock_emulate_kernel(&body);
}

template <class T, class... Operations>
void bring_transformations() {
  (bring<&transform_each<T, Operations>>(), ...);
}

template <class T, class... Operations>
void bring_combinations() {
  (bring<&combine_each<T, Operations>>(), ...);
}

template <class T>
void bring_all() {
  bring<&fill_each<T>>();
  bring_transformations<T, WithNumber<T, kernels::Sum>, WithNumber<T, kernels::Product>, kernels::Rectified>();
  bring_combinations<T, kernels::Sum, kernels::Product, kernels::Minimum, kernels::Maximum, kernels::SumWithMultiple,
                     kernels::GradientWherePositive>();
  bring<&count_up<T>>();
  bring<&make_random<T, UniformNumbers<T>>>();
  bring<&sum_leaves<T>>();
  bring<&sum_partials<T>>();
  bring<&find_greatest<T>>();
  bring<&add_to_diagonal<T>>();
}

template <class T>
void bring_real() {
  bring<&make_random<T, NormalNumbers<T>>>();
  bring<&scale_triangle<T>>();
  bring<&find_zero_on_diagonal<T>>();
}

[[gnu::constructor]] void bring_kernels() {
  bring_all<float>();
  bring_all<double>();
  bring_all<std::int32_t>();
  bring_all<std::int64_t>();
  bring_real<float>();
  bring_real<double>();
}

}  // namespace
}  // namespace penstock::device
