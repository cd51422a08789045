/// What the rivals of the benchmark `increments-job` share: the arrays, one increment, and the check that all were
/// done. Threads: increment() and clear() of different arrays may run at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/timing.hpp"

namespace penstock::bench {

class IncrementArrays {
 public:
  struct Size {
    int data = 0;
    int rounds = 0;
    std::size_t elements = 0;
  };

  /// Reads DATA ROUNDS ELEMENTS. Ends the process with 2 when that is not what was given.
  IncrementArrays(int argc, char** argv) {
    if (argc != 4) std::exit(2);
    size_ = {std::atoi(argv[1]), std::atoi(argv[2]), static_cast<std::size_t>(std::atoi(argv[3]))};
    for (int i = 0; i < size_.data; ++i) arrays_.push_back(std::make_unique_for_overwrite<float[]>(size_.elements));
  }

  [[nodiscard]] const Size& size() const { return size_; }
  [[nodiscard]] float* operator[](int i) { return arrays_[static_cast<std::size_t>(i)].get(); }

  // Not inlined: a task is one call, which must not be merged with the next.
  [[gnu::noinline]] void clear(int i) { std::fill_n((*this)[i], size_.elements, 0.0F); }
  [[gnu::noinline]] void increment(int i) {
    float* const array = (*this)[i];
    for (std::size_t k = 0; k < size_.elements; ++k) array[k] += 1.0F;
  }

  /// Prints the time since `begin`. Returns what main() is to return: 1 when an element is wrong.
  int finish(Clock::time_point begin) {
    const double seconds = seconds_since(begin);
    const auto expected = static_cast<float>(size_.rounds);
    for (const auto& array : arrays_) {
      if (std::count(array.get(), array.get() + size_.elements, expected) !=
          static_cast<std::ptrdiff_t>(size_.elements)) {
        return 1;
      }
    }
    std::printf("{\"seconds\": %.9f}\n", seconds);
    return 0;
  }

 private:
  Size size_;
  std::vector<std::unique_ptr<float[]>> arrays_;
};

}  // namespace penstock::bench
