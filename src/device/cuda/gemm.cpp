#include "device/cuda/gemm.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>

#include <penstock/error.hpp>

#include "device/cuda/cuda_error.hpp"

namespace penstock::device {
namespace {

/// The product in row-major terms: c is rows x columns, the inner extent is `inner`; this panel makes `panel_rows` rows
/// of c from `panel_first` on.
struct GemmCall {
  bool transpose_a = false;
  bool transpose_b = false;
  double alpha = 1.0;
  double beta = 0.0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  std::int64_t panel_first = 0;
  std::int64_t panel_rows = 0;
};

[[noreturn]] void misfit(const char* what) { throw Error(ErrorCode::invalid_argument, std::string("gemm: ") + what); }

template <class T>
T parameter_at(std::span<const Parameter> parameters, std::size_t index) {
  if (index >= parameters.size()) misfit("a parameter is missing");
  const T* value = std::get_if<T>(&parameters[index]);
  if (value == nullptr) misfit("a parameter has the wrong type");
  return *value;
}

void check_arrays(std::span<const ArrayView> arrays) {
  if (arrays.size() != 3) misfit("takes the arrays a, b and c");
  const DType dtype = arrays[0].type.dtype;
  if (dtype != DType::f32 && dtype != DType::f64) misfit("takes f32 or f64");
  for (const ArrayView& array : arrays) {
    if (array.type.shape.dimensions() != 2) misfit("takes matrices");
    if (array.type.dtype != dtype) misfit("the matrices differ in type");
  }
}

GemmCall read_call(const Work& work, std::span<const Parameter> parameters) {
  check_arrays(work.arrays);
  const Shape& a = work.arrays[0].type.shape;
  const Shape& b = work.arrays[1].type.shape;
  const Shape& c = work.arrays[2].type.shape;
  GemmCall call{.transpose_a = parameter_at<bool>(parameters, 0),
                .transpose_b = parameter_at<bool>(parameters, 1),
                .alpha = parameter_at<double>(parameters, 2),
                .beta = parameter_at<double>(parameters, 3),
                .rows = c[0],
                .columns = c[1]};
  call.inner = a[call.transpose_a ? 0 : 1];
  if (a[call.transpose_a ? 1 : 0] != call.rows || b[call.transpose_b ? 1 : 0] != call.inner ||
      b[call.transpose_b ? 0 : 1] != call.columns) {
    misfit("the shapes do not fit");
  }
  const std::int64_t panel_end = call.rows * (work.panel + 1) / work.panel_count;
  call.panel_first = call.rows * work.panel / work.panel_count;
  call.panel_rows = panel_end - call.panel_first;
  return call;
}

/// cuBLAS counts by columns: the transpose of the row-major product is op(b)^T * op(a)^T, so a and b change places.
template <class T>
void multiply(const GemmCall& call, const CublasHandle& cublas, const T* a, const T* b, T* c) {
  const T alpha = static_cast<T>(call.alpha);
  const T beta = static_cast<T>(call.beta);
  const auto op_a = call.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto op_b = call.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const std::int64_t row_of_a = std::max<std::int64_t>(1, call.transpose_a ? call.rows : call.inner);
  const std::int64_t row_of_b = std::max<std::int64_t>(1, call.transpose_b ? call.inner : call.columns);
  const T* panel_a = a + call.panel_first * (call.transpose_a ? 1 : row_of_a);
  if constexpr (std::is_same_v<T, float>) {
    PENSTOCK_CUBLAS_TRY(cublasSgemm_64(cublas.get(), op_b, op_a, call.columns, call.panel_rows, call.inner, &alpha, b,
                                       row_of_b, panel_a, row_of_a, &beta, c, call.columns));
  } else {
    PENSTOCK_CUBLAS_TRY(cublasDgemm_64(cublas.get(), op_b, op_a, call.columns, call.panel_rows, call.inner, &alpha, b,
                                       row_of_b, panel_a, row_of_a, &beta, c, call.columns));
  }
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind direction, const CudaStream& stream) {
  if (bytes > 0) PENSTOCK_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, direction, stream.get()));
}

template <class T>
void queue_typed(const GemmCall& call, std::span<const ArrayView> arrays, const CudaStream& stream,
                 const CublasHandle& cublas, DeviceBuffers& buffers) {
  const auto bytes_of = [](std::int64_t elements) { return static_cast<std::size_t>(elements) * sizeof(T); };
  const std::array<std::size_t, DeviceBuffers::count> bytes{bytes_of(arrays[0].type.shape.count()),
                                                            bytes_of(arrays[1].type.shape.count()),
                                                            bytes_of(call.panel_rows * call.columns)};
  std::byte* const panel_c = arrays[2].data + bytes_of(call.panel_first * call.columns);
  const auto [a, b, c] = buffers.reserve(bytes);
  copy(a, arrays[0].data, bytes[0], cudaMemcpyHostToDevice, stream);
  copy(b, arrays[1].data, bytes[1], cudaMemcpyHostToDevice, stream);
  if (call.beta != 0.0) copy(c, panel_c, bytes[2], cudaMemcpyHostToDevice, stream);
  multiply(call, cublas, static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c));
  copy(panel_c, c, bytes[2], cudaMemcpyDeviceToHost, stream);
}

}  // namespace

void queue_gemm(const Work& work, std::span<const Parameter> parameters, const CudaStream& stream,
                const CublasHandle& cublas, DeviceBuffers& buffers) {
  const GemmCall call = read_call(work, parameters);
  if (call.panel_rows == 0 || call.columns == 0) return;
  if (work.arrays[0].type.dtype == DType::f32)
    queue_typed<float>(call, work.arrays, stream, cublas, buffers);
  else
    queue_typed<double>(call, work.arrays, stream, cublas, buffers);
}

}  // namespace penstock::device
