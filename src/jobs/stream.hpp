/// The steps of a job, one after the other, made when they are asked for: memory does not grow with the number of
/// tasks, only by two bits per datum of the families in use, and a number for some of those that are alive. Used by one
/// thread at a time; several streams are independent.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/kernel.hpp>
#include <penstock/types.hpp>

#include "jobs/count_tree.hpp"
#include "jobs/datum.hpp"
#include "jobs/live_data.hpp"
#include "jobs/plan.hpp"
#include "jobs/task_check.hpp"
#include "jobs/walker.hpp"

namespace penstock::jobs {

/// One step. Kept and reused by the caller; the spans and the name are valid until the next call of next().
struct Step {
  enum class Kind : std::uint8_t {
    make,     ///< a new datum: `datum`, `type`; its first task comes next
    task,     ///< a task: `kernel`, `accesses`, `parameters`, `cores`
    save,     ///< a task too, whose end makes one file of the results; in no [[task]]
    release,  ///< no later step names `datum`
    pause,    ///< nothing to do: many steps whose condition is false were passed over, and the caller may look up
  };
  static constexpr std::size_t no_parameter = SIZE_MAX;

  Kind kind = Kind::make;
  bool is_origin = false;  ///< a task that fills `datum` with what its table says, and stands in no [[task]]
  bool is_part = false;    ///< a task that does a part of what a save does, and stands in no [[task]]
  Datum datum;             ///< of make, release and origins
  ArrayType type;          ///< of make
  const KernelDescription* kernel = nullptr;
  std::span<const DatumAccess> accesses;        ///< in the kernel's order
  std::span<const Parameter> parameters;        ///< complete, in the kernel's order
  std::size_t result_parameter = no_parameter;  ///< the one that is a path relative to the results
  int cores = 1;
  std::string_view name;  ///< of the task, where its entry gives names; else empty
  Place place;            ///< the file's name lives as long as the Job or any of its streams
};

class Stream {
 public:
  enum class Texts : std::uint8_t { made, omitted };
  /// Names of tasks and paths of origins and saves can be omitted by who only looks at the order of the steps.
  explicit Stream(std::shared_ptr<const Plan> plan, Texts texts = Texts::made);

  /// The next step; false when there is none any more. Never takes long. Throws Error (bad_job) for what only shows
  /// now, in jobs too long to be walked through when loaded: a datum read before it was written, or accessed twice by a
  /// task that writes it; a subscript that is outside its family; tiles or parameters that do not fit the kernel.
  bool next(Step& step);

 private:
  enum class Phase : std::uint8_t { walk, prepare, origin, run, release, add_up, pass, pause };

  void walk_on();
  void begin_step();
  void begin_entry();
  void check_step();
  void check_subscripts() const;
  void check_aliases() const;
  bool prepare(Step& step);
  void yield_make(Step& step, Datum datum) const;
  void yield_origin(Step& step);
  void yield_run(Step& step);
  bool release(Step& step);
  bool add_up(Step& step);
  void yield_release(Step& step, Datum datum) const;
  void clear(Step& step) const;
  void set_place(Step& step, const Position& position) const;
  [[nodiscard]] bool is_last_part() const;
  std::span<const Parameter> made(const ParameterValues& values, const Indices& indices, bool is_text_made,
                                  std::vector<Parameter>& kept) const;

  std::shared_ptr<const Plan> plan_;
  Texts texts_;
  Walker walker_;
  LiveData live_;
  TaskCheck check_;
  CountTree counts_;
  Phase phase_ = Phase::walk;
  bool is_finished_ = false;
  const Entry* entry_ = nullptr;
  std::uint32_t entry_number_ = 0;
  bool is_task_checked_ = false;  ///< types and parameters of each step of the entry
  std::size_t cursor_ = 0;        ///< within the list that the phase goes through
  std::vector<DatumAccess> accesses_;
  std::vector<DatumAccess> own_accesses_;  ///< of an origin, or of what adds counts up
  Indices origin_indices_;
  std::span<const Parameter> parameters_;  ///< of the task of the step
  std::string name_;
  std::vector<std::vector<Parameter>> entry_parameters_;    ///< by entry, of those that follow the indices
  std::vector<std::vector<Parameter>> publish_parameters_;  ///< by entry, likewise
  std::vector<std::vector<Parameter>> family_parameters_;   ///< by family, likewise
};

}  // namespace penstock::jobs
