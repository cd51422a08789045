// The benchmark `wait` on penstock: penstock-bench-wait x|stream N COUNT WORKERS, with matrices of N rows and columns.
//
//     x         one product, x, and COUNT others that have nothing to do with it. Prints the seconds of x alone, and
//               those until wait(x) and then wait_all() return when x is submitted before the others, or after them.
//     stream    COUNT products, each on all workers, one after another; of each the program copies the result, or reads
//               its sum: at once, which waits for it, or after the last one. Prints the seconds of each.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/timing.hpp"

namespace penstock::bench {

namespace {

using Matrix = Array<float>;

struct Size {
  std::int64_t n = 0;
  int count = 0;
  int workers = 1;
};

class Products {
 public:
  Products(Runtime& runtime, const Size& size)
      : runtime_(runtime),
        size_(size),
        a_(runtime.array<float>({size.n, size.n}, normal(1))),
        b_(runtime.array<float>({size.n, size.n}, normal(2))) {
    runtime.wait_all();
  }

  Matrix submit(int workers = 1) {
    Matrix c = runtime_.array<float>({size_.n, size_.n});
    runtime_.submit(gemm, read(a_), read(b_), write(c), cores(workers));
    return c;
  }
  void submit_others() {
    for (int i = 0; i < size_.count; ++i) submit();
  }

 private:
  Runtime& runtime_;
  Size size_;
  Matrix a_;
  Matrix b_;
};

/// Seconds until x was there, and until everything was.
struct Wait {
  double x = 0.0;
  double all = 0.0;
};

template <class Submit>
Wait wait_for_x(Runtime& runtime, Submit submit) {
  const auto begin = Clock::now();
  const Matrix x = submit();
  runtime.wait(x);
  Wait wait{.x = seconds_since(begin)};
  runtime.wait_all();
  wait.all = seconds_since(begin);
  return wait;
}

void run_x(Runtime& runtime, const Size& size) {
  Products products(runtime, size);
  const auto x_alone = [&] { return products.submit(); };
  const auto x_first = [&] {
    Matrix x = products.submit();
    products.submit_others();
    return x;
  };
  const auto x_last = [&] {
    products.submit_others();
    return products.submit();
  };
  wait_for_x(runtime, x_last);
  const Wait alone = wait_for_x(runtime, x_alone);
  const Wait first = wait_for_x(runtime, x_first);
  const Wait last = wait_for_x(runtime, x_last);
  std::printf("{\"alone\": %.9f, \"first\": %.9f, \"first_all\": %.9f, \"last\": %.9f, \"last_all\": %.9f}\n", alone.x,
              first.x, first.all, last.x, last.all);
}

/// `use(c)` submits what the program wants to know of c and returns a function that looks at it.
template <class Use>
double stream(Runtime& runtime, const Size& size, bool at_once, Use use) {
  Products products(runtime, size);
  std::vector<decltype(use(Matrix()))> looks;
  const auto begin = Clock::now();
  for (int i = 0; i < size.count; ++i) {
    looks.push_back(use(products.submit(size.workers)));
    if (at_once) looks.back()();
  }
  if (!at_once) {
    for (const auto& look : looks) look();
  }
  return seconds_since(begin);
}

void run_stream(Runtime& runtime, const Size& size) {
  std::vector<float> host(static_cast<std::size_t>(size.n * size.n));
  const auto copy_of = [&](const Matrix& c) {
    return [&, c] {
      const View<float> view = runtime.read(c);
      std::ranges::copy(view, host.begin());
    };
  };
  double total = 0.0;
  const auto sum_of = [&](const Matrix& c) {
    const auto s = runtime.array<float>({1});
    runtime.submit(sum, read(c), write(s));
    return [&, s] { total += static_cast<double>(runtime.read(s)[0]); };
  };
  stream(runtime, size, true, copy_of);
  const double copy_each = stream(runtime, size, true, copy_of);
  const double copy_end = stream(runtime, size, false, copy_of);
  const double sum_each = stream(runtime, size, true, sum_of);
  const double sum_end = stream(runtime, size, false, sum_of);
  std::printf("{\"copy_each\": %.9f, \"copy_end\": %.9f, \"sum_each\": %.9f, \"sum_end\": %.9f, \"total\": %.9g}\n",
              copy_each, copy_end, sum_each, sum_end, total);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const std::string_view mode = argc == 5 ? argv[1] : "";
  if (mode != "x" && mode != "stream") return 2;
  const penstock::bench::Size size{.n = std::atol(argv[2]), .count = std::atoi(argv[3]), .workers = std::atoi(argv[4])};
  return penstock::run(
      argc, argv,
      [&](penstock::Runtime& runtime) {
        mode == "x" ? penstock::bench::run_x(runtime, size) : penstock::bench::run_stream(runtime, size);
      },
      penstock::bench::traced({.workers = size.workers, .use_cuda = false}));
}
