/// The bodies themselves, one a kernel. They do what the bodies for cores do, see src/kernels, to the whole arrays.
#pragma once

#include <cstdint>
#include <string>

#include <penstock/kernel.hpp>

namespace penstock::device {

// elementwise.cu
void run_fill(const CudaContext& context);
void run_neutral(const CudaContext& context);
void run_copy(const CudaContext& context);
void run_increment(const CudaContext& context);
void run_scale(const CudaContext& context);
void run_relu(const CudaContext& context);
void run_add(const CudaContext& context);
void run_mul(const CudaContext& context);
void run_axpy(const CudaContext& context);
void run_relu_gradient(const CudaContext& context);
void run_combine(const CudaContext& context);

// numbers.cu
void run_iota(const CudaContext& context);
void run_uniform(const CudaContext& context);
void run_normal(const CudaContext& context);

// reduce.cu, norm2.cpp
void run_sum(const CudaContext& context);
void run_max(const CudaContext& context);
void run_norm2(const CudaContext& context);

// matrix.cu, gemm.cpp, syrk.cpp, trsm.cpp
void run_add_diagonal(const CudaContext& context);
void run_gemm(const CudaContext& context);
void run_syrk(const CudaContext& context);
void run_trsm(const CudaContext& context);
[[nodiscard]] std::string trsm_verdict(std::int64_t finding);

}  // namespace penstock::device
