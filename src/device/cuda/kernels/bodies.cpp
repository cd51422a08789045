#include "device/cuda/kernels/bodies.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "device/cuda/kernels/run.hpp"
#include "device/cuda/module_abi.hpp"

namespace penstock::device {
namespace {

struct Entry {
  std::string_view kernel;
  CudaBody body;
};

constexpr std::array entries{
    Entry{"add", run_add},         Entry{"add_diagonal", run_add_diagonal},
    Entry{"axpy", run_axpy},       Entry{"combine", run_combine},
    Entry{"copy", run_copy},       Entry{"fill", run_fill},
    Entry{"gemm", run_gemm},       Entry{"increment", run_increment},
    Entry{"iota", run_iota},       Entry{"max", run_max},
    Entry{"mul", run_mul},         Entry{"neutral", run_neutral},
    Entry{"norm2", run_norm2},     Entry{"normal", run_normal},
    Entry{"relu", run_relu},       Entry{"relu_gradient", run_relu_gradient},
    Entry{"scale", run_scale},     Entry{"sum", run_sum},
    Entry{"syrk", run_syrk},       Entry{"trsm", run_trsm},
    Entry{"uniform", run_uniform},
};
static_assert(std::ranges::is_sorted(entries, {}, &Entry::kernel));

constexpr auto names = [] {
  std::array<std::string_view, entries.size()> all;
  std::ranges::transform(entries, all.begin(), &Entry::kernel);
  return all;
}();
static_assert(std::ranges::equal(names, cuda_kernels));

}  // namespace

CudaBody find_cuda_body(std::string_view kernel) {
  const auto* const found = std::ranges::lower_bound(entries, kernel, {}, &Entry::kernel);
  return found != entries.end() && found->kernel == kernel ? found->body : nullptr;
}

CudaVerdict find_cuda_verdict(std::string_view kernel) { return kernel == "trsm" ? trsm_verdict : nullptr; }

}  // namespace penstock::device
