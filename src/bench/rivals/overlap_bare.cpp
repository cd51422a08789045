// The rival `bare` of the benchmark `overlap`: the same by hand, on a stream for products and one for copies, with an
// event between each product and the copy of its result: penstock-bench-overlap-bare N COUNT pinned|pageable. All
// memory is there before the clock starts.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "penstock-bench-overlap-bare: %s\n", what);
  std::exit(1);
}

void require(cudaError_t error) { require(error == cudaSuccess, cudaGetErrorString(error)); }

class Products {
 public:
  Products(int n, int count, bool pinned)
      : n_(n), bytes_(sizeof(float) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
    require(cudaStreamCreateWithFlags(&compute_, cudaStreamNonBlocking));
    require(cudaStreamCreateWithFlags(&copy_, cudaStreamNonBlocking));
    require(cublasCreate(&cublas_) == CUBLAS_STATUS_SUCCESS, "cuBLAS cannot be had");
    require(cublasSetStream(cublas_, compute_) == CUBLAS_STATUS_SUCCESS, "cuBLAS takes no stream");
    require(cudaMalloc(&a_, bytes_));
    for (int i = 0; i < count; ++i) items_.push_back(make_item(pinned));
    fill();
  }

  void measure() {
    auto begin = Clock::now();
    for (const Item& item : items_) multiply(item);
    require(cudaStreamSynchronize(compute_));
    products_s_ = seconds_since(begin);

    begin = Clock::now();
    for (const Item& item : items_) copy_back(item);
    require(cudaStreamSynchronize(copy_));
    copies_s_ = seconds_since(begin);

    begin = Clock::now();
    for (const Item& item : items_) {
      multiply(item);
      require(cudaEventRecord(item.made, compute_));
      require(cudaStreamWaitEvent(copy_, item.made, 0));
      copy_back(item);
    }
    require(cudaStreamSynchronize(copy_));
    together_s_ = seconds_since(begin);
  }

  void print() const {
    std::printf("{\"products\": %.9f, \"copies\": %.9f, \"together\": %.9f}\n", products_s_, copies_s_, together_s_);
  }

 private:
  struct Item {
    void* result = nullptr;  // on the GPU
    void* value = nullptr;   // on the host
    cudaEvent_t made = nullptr;
  };

  [[nodiscard]] Item make_item(bool pinned) const {
    Item item;
    require(cudaMalloc(&item.result, bytes_));
    if (pinned)
      require(cudaHostAlloc(&item.value, bytes_, cudaHostAllocDefault));
    else
      item.value = std::malloc(bytes_);
    require(item.value != nullptr, "there is no memory");
    require(cudaEventCreateWithFlags(&item.made, cudaEventDisableTiming));
    return item;
  }

  void fill() const {
    std::vector<float> a(bytes_ / sizeof(float));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 1000) * 1e-3F;
    require(cudaMemcpy(a_, a.data(), bytes_, cudaMemcpyHostToDevice));
  }

  void multiply(const Item& item) const {
    const float one = 1.0F;
    const float zero = 0.0F;
    const auto* const a = static_cast<const float*>(a_);
    const cublasStatus_t status = cublasSgemm_64(cublas_, CUBLAS_OP_N, CUBLAS_OP_N, n_, n_, n_, &one, a, n_, a, n_,
                                                 &zero, static_cast<float*>(item.result), n_);
    require(status == CUBLAS_STATUS_SUCCESS, "cuBLAS refuses a product");
  }

  void copy_back(const Item& item) const {
    require(cudaMemcpyAsync(item.value, item.result, bytes_, cudaMemcpyDeviceToHost, copy_));
  }

  const int n_;
  const std::size_t bytes_;
  cudaStream_t compute_ = nullptr;
  cudaStream_t copy_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  void* a_ = nullptr;
  std::vector<Item> items_;
  double products_s_ = 0.0;
  double copies_s_ = 0.0;
  double together_s_ = 0.0;
};

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  penstock::bench::Products products(std::atoi(argv[1]), std::atoi(argv[2]), std::string(argv[3]) == "pinned");
  products.measure();  // to warm up
  products.measure();
  products.print();
  return 0;
}
