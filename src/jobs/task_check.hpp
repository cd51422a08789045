/// Whether the tasks of an entry fit their kernels, step by step: types change from step to step where tiles at the
/// edge are smaller, and parameters where they follow the indices. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/datum.hpp"
#include "jobs/plan.hpp"

namespace penstock::jobs {

class TaskCheck {
 public:
  explicit TaskCheck(const Plan& plan);

  /// All steps are alike: one stands for all.
  [[nodiscard]] static bool is_once(const Plan& plan, const Entry& entry);

  /// Throws Error (bad_job). Types that were seen before, with the same parameters, are not looked at again.
  void check(std::uint32_t entry, std::span<const DatumAccess> accesses, std::span<const Parameter> parameters);

 private:
  void check_reduction(const Reduction& reduction, const ArrayType& type, std::string_view name) const;
  /// Whether these types are new to the entry.
  bool is_new(std::uint32_t entry, std::span<const DatumAccess> accesses);

  const Plan* plan_;
  std::vector<std::vector<std::uint64_t>> seen_;  ///< by entry: two bits an access; sorted
  std::vector<TaskAccess> types_;
  std::vector<std::string_view> names_;
  std::vector<const Position*> places_;
};

}  // namespace penstock::jobs
