// The rival `bare` of the benchmark `wait`: penstock-bench-wait-bare N COUNT THREADS, the stream of products by hand,
// with BLAS on all threads, the result of each copied, or added up with the library's own kernel.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/rivals/bare_matrix.hpp"
#include "bench/timing.hpp"

int main(int argc, char** argv) {
  using namespace penstock::bench;
  if (argc != 4) return 2;
  const std::int64_t n = std::atol(argv[1]);
  const int count = std::atoi(argv[2]);
  blas_use_threads(std::atoi(argv[3]));
  penstock::memory::HostPool pool;
  const BareMatrix a(pool, n, n);
  const BareMatrix b(pool, n, n);
  const BareMatrix c(pool, n, n);
  const BareMatrix s(pool, 1, 1);
  fill_normal(a, 1);
  fill_normal(b, 2);
  std::vector<float> host(static_cast<std::size_t>(n * n));
  const auto time = [&](auto use) {
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) {
      multiply(a, b, c);
      use();
    }
    return seconds_since(begin);
  };
  const auto copy = [&] { std::ranges::copy(c.values(), host.begin()); };
  double total = 0.0;
  const auto add_up = [&] {
    call_kernel("sum", {c.view(), s.view()}, {});
    total += static_cast<double>(s.values()[0]);
  };
  time(copy);
  const double copied = time(copy);
  const double added = time(add_up);
  std::printf("{\"copy\": %.9f, \"sum\": %.9f, \"total\": %.9g}\n", copied, added, total);
  return 0;
}
