// The rivals `bare ...` of the benchmark `async`: the same matrices and squares by hand, with the library's own
// kernels.
//
//     penstock-bench-async-bare blas N COUNT THREADS     one after another, each on all threads
//     penstock-bench-async-bare cores N COUNT THREADS    a pinned thread a core, each with matrices of its own
//     penstock-bench-async-bare limit N COUNT THREADS    what COUNT of them take when one that is in the cache is made
//                                                        again and again on each core, shared out evenly
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "bench/rivals/bare_matrix.hpp"
#include "bench/timing.hpp"
#include "device/cpu/affinity.hpp"

namespace penstock::bench {

namespace {

struct Task {
  std::int64_t n = 0;
  int count = 0;
  int threads = 1;
};

struct Square {
  BareMatrix a, square;

  Square(memory::HostPool& pool, std::int64_t n) : a(pool, n, n), square(pool, n, n) {}
  void make(std::int64_t seed) {
    fill_normal(a, seed);
    multiply(a, a, square);
  }
};

std::vector<Square> squares_of(memory::HostPool& pool, const Task& task) {
  std::vector<Square> squares;
  for (int i = 0; i < task.count; ++i) squares.emplace_back(pool, task.n);
  return squares;
}

/// The numbers of each matrix by all threads, as a program would that has BLAS use them all.
void one_after_another(std::vector<Square>& squares, int threads) {
  for (std::size_t i = 0; i < squares.size(); ++i) {
    fill_normal_on_threads(squares[i].a, static_cast<std::int64_t>(i), threads);
    multiply(squares[i].a, squares[i].a, squares[i].square);
  }
}

template <class Body>
void on_each_core(int threads, Body body) {
  const core::CoreSet cores = device::read_affinity();
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread) {
    team.emplace_back([&, thread] {
      device::set_affinity({cores[static_cast<std::size_t>(thread) % cores.size()]});
      body(static_cast<std::size_t>(thread));
    });
  }
}

void one_a_core(std::vector<Square>& squares, int threads) {
  on_each_core(threads, [&](std::size_t thread) {
    for (std::size_t i = thread; i < squares.size(); i += static_cast<std::size_t>(threads)) {
      squares[i].make(static_cast<std::int64_t>(i));
    }
  });
}

double seconds(const std::string& mode, const Task& task) {
  memory::HostPool pool;
  std::vector<Square> squares = squares_of(pool, task);
  const auto run = [&] {
    mode == "blas" ? one_after_another(squares, task.threads) : one_a_core(squares, task.threads);
  };
  run();
  const auto begin = Clock::now();
  run();
  return seconds_since(begin);
}

double limit(const Task& task) {
  constexpr int repeats = 4;
  std::vector<double> own(static_cast<std::size_t>(task.threads));
  on_each_core(task.threads, [&](std::size_t thread) {
    memory::HostPool pool;
    Square square(pool, task.n);
    square.make(1);
    const auto begin = Clock::now();
    for (int i = 0; i < repeats; ++i) square.make(1);
    own[thread] = seconds_since(begin) / repeats;
  });
  return std::ranges::max(own) * task.count / task.threads;
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  const std::string mode = argc == 5 ? argv[1] : "";
  if (mode != "blas" && mode != "cores" && mode != "limit") return 2;
  const Task task{.n = std::atol(argv[2]), .count = std::atoi(argv[3]), .threads = std::atoi(argv[4])};
  if (task.n < 1 || task.count < 1 || task.threads < 1) return 2;
  blas_use_threads(mode == "blas" ? task.threads : 1);
  const double done = mode == "limit" ? limit(task) : seconds(mode, task);
  std::printf("{\"free\": %.9f, \"done\": %.9f}\n", done, done);
  return 0;
}
