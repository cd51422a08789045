/// The reductions of one submit() as the front-end takes them: their kernels found and checked, their parameters
/// encoded. Made for the call, by the thread that submits.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include <penstock/array.hpp>
#include <penstock/types.hpp>

#include "frontend/reductions.hpp"
#include "jobs/datum.hpp"
#include "kernels/table.hpp"

namespace penstock::runtime {

class ReductionList {
 public:
  explicit ReductionList(const kernels::KernelTable& kernels) : kernels_(kernels) {}

  /// For an array of this type. Throws Error (invalid_argument) where the kernels do not take it.
  void add(const detail::ReductionParts& parts, const ArrayType& type);

  /// As a job has it, which was checked when the job was loaded.
  void add(const jobs::Reduction& reduction);

  /// Borrows the list.
  [[nodiscard]] std::span<const frontend::Reduction> all() const { return list_; }

 private:
  struct Call {
    core::KernelId kernel;
    std::span<const std::byte> parameters;
  };
  Call call(const Origin& kernel, std::span<const TaskAccess> accesses);
  Call call(core::KernelId kernel, std::span<const Parameter> parameters);
  void add(const Call& combine, const Call& neutral, bool is_built_in);

  const kernels::KernelTable& kernels_;
  std::vector<frontend::Reduction> list_;
  std::deque<std::vector<std::byte>> encoded_;
};

}  // namespace penstock::runtime
