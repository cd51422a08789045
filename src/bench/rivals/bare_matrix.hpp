/// Matrices of f32 for programs written by hand, in memory like the library's, and calls of the library's own kernels
/// on them. Header only; any thread, for matrices of its own.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "kernels/table.hpp"
#include "memory/host_pool.hpp"

namespace penstock::bench {

/// Its memory is the pool's until the process ends.
class BareMatrix {
 public:
  BareMatrix(memory::HostPool& pool, std::int64_t rows, std::int64_t columns)
      : view_{.data = nullptr, .type = {DType::f32, {rows, columns}}} {
    view_.data = pool.allocate(static_cast<std::size_t>(view_.type.bytes()));
  }
  [[nodiscard]] const ArrayView& view() const { return view_; }
  [[nodiscard]] std::span<float> values() const {
    return {reinterpret_cast<float*>(view_.data), static_cast<std::size_t>(view_.type.shape.count())};
  }

 private:
  ArrayView view_;
};

struct Panel {
  int index = 0;
  int count = 1;
};
inline void call_kernel(const char* kernel, std::vector<ArrayView> arrays, std::vector<Parameter> parameters,
                        Panel panel = {}) {
  const kernels::KernelTable& table = kernels::KernelTable::process();
  table[table.at(kernel)].cpu(
      {.arrays = arrays, .parameters = parameters, .panel = panel.index, .panel_count = panel.count});
}

struct Numbers {
  double deviation = 1.0;
  std::int64_t first = 0;  ///< index of the first one in the sequence of the seed
};
inline void fill_normal(const BareMatrix& matrix, std::int64_t seed, Numbers numbers = {}, Panel panel = {}) {
  call_kernel("normal", {matrix.view()}, {seed, 0.0, numbers.deviation, numbers.first, std::int64_t{0}}, panel);
}

inline void fill_normal_on_threads(const BareMatrix& matrix, std::int64_t seed, int threads) {
  std::vector<std::jthread> team;
  for (int index = 0; index < threads; ++index) {
    team.emplace_back([&, index] { fill_normal(matrix, seed, {}, {.index = index, .count = threads}); });
  }
}

struct Form {
  bool transpose_a = false;
  bool transpose_b = false;
  double beta = 0.0;
};
inline void multiply(const BareMatrix& a, const BareMatrix& b, const BareMatrix& c, Form form = {}) {
  call_kernel("gemm", {a.view(), b.view(), c.view()}, {form.transpose_a, form.transpose_b, 1.0, form.beta});
}

/// OpenBLAS's; another BLAS is told by OMP_NUM_THREADS.
inline void blas_use_threads(int threads) {
  void* const setter = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (setter != nullptr) reinterpret_cast<void (*)(int)>(setter)(threads);
}

}  // namespace penstock::bench
