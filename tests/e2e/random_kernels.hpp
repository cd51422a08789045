/// The tasks of random programs as kernels: the bodies of random_program.hpp, that throw at their end when told to
/// fail.
#pragma once

#include <cstdint>

#include <penstock/typed_kernel.hpp>

#include "e2e/random_program.hpp"

namespace penstock::tests {

using I64 = std::int64_t;

extern const Kernel<Out<I64>, I64, bool> fresh;
extern const Kernel<Out<I64>, In<I64>, I64, bool> map;
extern const Kernel<InOut<I64>, In<I64>, In<I64>, I64, bool> mix;
extern const Kernel<InOut<I64>, InOut<I64>, I64, bool> cross;
extern const Kernel<Out<float>, In<I64>, I64, bool> narrow;
extern const Kernel<InOut<I64>, In<float>, I64, bool> widen;
extern const Kernel<InOut<float>, I64, bool> scale;
extern const Kernel<InOut<I64>, In<I64>, I64, bool> gather;  ///< add too
extern const Kernel<InOut<float>, In<I64>, I64, bool> extend;

/// The name of the kernel that does it.
[[nodiscard]] const char* kernel_name(TaskKind kind);

}  // namespace penstock::tests
