// The benchmark `overlap` on penstock: penstock-bench-overlap N COUNT pinned|pageable makes COUNT products of a matrix
// of N rows and columns on a GPU and looks at each of them: once when all are made, and once as they come. Prints how
// long the products alone take, the looking alone, and both together.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

using Matrix = Array<float>;

struct Times {
  double products = 0.0;
  double copies = 0.0;
  double together = 0.0;
};

class Products {
 public:
  Products(Runtime& runtime, std::int64_t n, int count)
      : runtime_(runtime), n_(n), count_(count), a_(runtime.array<float>({n, n}, uniform(1))) {}

  void measure(Times& times) {
    auto begin = Clock::now();
    std::vector<Matrix> results;
    for (int i = 0; i < count_; ++i) results.push_back(submit_one());
    runtime_.wait_all();
    times.products = seconds_since(begin);

    begin = Clock::now();
    std::vector<Future<float>> values;
    for (const Matrix& result : results) values.push_back(runtime_.future(result));
    look_at(values);
    times.copies = seconds_since(begin);
    values.clear();
    results.clear();

    begin = Clock::now();
    for (int i = 0; i < count_; ++i) values.push_back(runtime_.future(submit_one()));
    look_at(values);
    times.together = seconds_since(begin);
  }

 private:
  Matrix submit_one() {
    Matrix result = runtime_.array<float>({n_, n_});
    runtime_.submit(gemm, read(a_), read(a_), write(result));
    return result;
  }

  /// All are the same product.
  static void look_at(std::vector<Future<float>>& values) {
    float first = 0.0F;
    for (Future<float>& value : values) {
      const View<float> view = value.get();
      if (&value == values.data()) first = view[0];
      if (view[0] != first) throw Error(ErrorCode::environment, "a product differs from the first");
    }
  }

  Runtime& runtime_;
  const std::int64_t n_;
  const int count_;
  const Matrix a_;
};

void run_twice(Runtime& runtime, std::int64_t n, int count) {
  Products products(runtime, n, count);
  Times times;
  products.measure(times);  // to warm up
  products.measure(times);
  std::printf("{\"products\": %.9f, \"copies\": %.9f, \"together\": %.9f}\n", times.products, times.copies,
              times.together);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::int64_t n = std::atol(argv[1]);
  const int count = std::atoi(argv[2]);
  penstock::Options options{.use_cpu = false};
  if (std::string(argv[3]) == "pageable") options.pinned_bytes = 0;
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_twice(runtime, n, count); },
      penstock::bench::traced(options));
}
