/// How the contents of storages were made, so that what was lost with a GPU can be made again: on cores, beginning with
/// the tasks that read nothing. What another rank has sent, and what reads it, is not known here; nor is what comes
/// after so many tasks that remembering them would cost too much.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include <penstock/kernel.hpp>

#include "cluster/messages.hpp"
#include "memory/host_pool.hpp"

namespace penstock::backend {

struct Task;
struct Step;

/// The content of a storage: what a step left in one of its operands. Without a step it is not known how.
struct Made {
  std::shared_ptr<const Step> step;
  std::size_t operand = 0;
};

/// A task, as far as it is needed to run its body again. Never changed; keeps those whose results it read.
struct Step {
  struct Operand {
    cluster::OperandKind kind;
    ArrayType type;
    Made in;
  };
  const KernelDescription* kernel = nullptr;
  std::vector<std::byte> parameters;
  std::vector<Operand> operands;
  int depth = 1;                                 // of the steps that it needs, itself included
  std::shared_ptr<std::atomic<int>> remembered;  // counts the steps that there are; orders nothing

  ~Step() { remembered->fetch_sub(1, std::memory_order_relaxed); }
};

/// Threads: one at a time; steps may end on any.
class Lineage {
 public:
  /// For a task that is about to run; null when it could not be run again.
  [[nodiscard]] std::shared_ptr<const Step> remember(const Task& task);

 private:
  std::shared_ptr<std::atomic<int>> remembered_ = std::make_shared<std::atomic<int>>(0);
};

/// Runs all that is needed, one after the other on the calling thread. Throws what the bodies and the pool throw.
void make_again(const Made& made, memory::HostPool& pool, const ArrayView& into);

}  // namespace penstock::backend
