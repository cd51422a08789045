/// The graph of a job the slow and obvious way, to compare with: all tasks and edges in memory.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/test_kernels.hpp"

namespace penstock::jobs::test {

/// Those of kernels(), of which gemm, add and increment say their operations: 2mnk, and one an element.
[[nodiscard]] std::span<const KernelDescription* const> counting_kernels();

struct NaiveGraph {
  struct Task {
    std::string text;  ///< "gemm A[3] B >C[3]", as text_of() has it
    std::uint32_t line = 0;
    double flops = 0.0;
    std::vector<std::size_t> after;  ///< the tasks whose results it reads
  };
  std::vector<Task> tasks;
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> edges;  ///< from, to, datum

  explicit NaiveGraph(const Job& job);

  /// Of each task: how many tasks are on the longest path that ends with it.
  [[nodiscard]] std::vector<std::int64_t> levels() const;
  [[nodiscard]] std::int64_t depth() const;
  [[nodiscard]] std::int64_t width() const;
  [[nodiscard]] double flops() const;
  /// Most operations on one path.
  [[nodiscard]] double path_flops() const;
};

/// A job of up to a few hundred tasks over a few families, the same for one seed. It may be one that is refused,
/// because it reads what nothing wrote or because a task accesses what it writes twice. `reduces`: with tasks that do,
/// and others that commute.
[[nodiscard]] std::string random_job(std::uint64_t seed, bool reduces = false);

}  // namespace penstock::jobs::test
