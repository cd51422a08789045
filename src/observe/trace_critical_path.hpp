/// The longest chain of tasks each of which reads what the one before made, by how long they took. Filled with all
/// tasks of a run in any order, then asked once. A value; pure. It needs 48 bytes a task and 24 an access.
///
/// Tasks by number are in an order that respects what they read, since they are numbered in program order: one pass in
/// that order finds the longest chain to each (the longest path in an acyclic graph; Kelley and Walker, "Critical-Path
/// Planning and Scheduling", 1959).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/event.hpp"

namespace penstock::observe {

class CriticalPathSearch {
 public:
  /// Room for so many.
  void reserve(std::uint64_t tasks, std::uint64_t accesses);
  /// A task or one of its panels, from when to when, and the events of its accesses.
  void add(const core::TaskEvent& task, std::span<const core::Event> accesses);

  struct Link {
    core::TaskId task;
    core::KernelId kernel;
    std::int64_t ns = 0;
  };
  /// The chain, from its last task to its first. Of two of one length that of more tasks; then that whose tasks have
  /// the smaller numbers.
  [[nodiscard]] std::vector<Link> longest();

 private:
  struct Task {
    core::TaskId id;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    std::uint64_t first_access = 0;
    std::uint32_t access_count = 0;
    core::KernelId kernel;
  };
  struct Access {
    core::DataId data;
    core::Version reads;
    core::Version writes;
  };
  static constexpr std::size_t none = ~std::size_t{0};
  /// The longest chain that ends with a task.
  struct Chain {
    std::uint64_t ns = 0;
    std::uint64_t tasks = 0;
    std::size_t before = none;  // the place of the task before
  };
  /// The latest version of each datum so far, and the place of the task that made it. Looked up only.
  struct Made {
    core::Version version;
    std::size_t task = none;
  };
  using Makers = std::unordered_map<std::uint32_t, Made>;
  void join_panels();
  void find_chain(std::size_t index, Makers& makers, std::vector<Chain>& chains) const;

  std::vector<Task> tasks_;
  std::vector<Access> accesses_;
};

}  // namespace penstock::observe
