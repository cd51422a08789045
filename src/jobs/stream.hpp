/// The steps of a job, one after the other, made when they are asked for: memory does not grow with the number of
/// tasks, only by one bit per datum of the families in use. Used by one thread at a time; several streams are
/// independent.
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

namespace penstock::jobs {

struct Plan;
struct Entry;

/// An element of a family; a datum without `for` is element 0 of its own.
struct Datum {
  std::uint32_t family = 0;
  std::int64_t element = 0;
  friend bool operator==(const Datum&, const Datum&) = default;
};

struct DatumAccess {
  Datum datum;
  AccessMode mode = AccessMode::read;
};

/// One step. Kept and reused by the caller; the spans are valid until the next call of next().
struct Step {
  enum class Kind : std::uint8_t {
    make,     ///< a new datum: `datum`, `type`; its first task comes next
    task,     ///< a task: `kernel`, `accesses`, `parameters`, `cores`
    save,     ///< write `datum` to `path`, relative to the results: `kernel` is save, `accesses` its one read
    release,  ///< no later step names `datum`
  };
  Kind kind = Kind::make;
  bool is_origin = false;  ///< a task that fills `datum` with what its table says, and stands in no [[task]]
  Datum datum;             ///< not set for tasks of a [[task]]
  ArrayType type;
  const KernelDescription* kernel = nullptr;
  std::span<const DatumAccess> accesses;  ///< in the kernel's order
  std::span<const Parameter> parameters;  ///< complete, in the kernel's order; none for a save
  int cores = 1;
  std::string_view name;  ///< of the task, where its entry gives names; else empty
  Place place;            ///< the file's name lives as long as the Job or any of its streams
  std::string path;       ///< save only
};

class Stream {
 public:
  enum class Texts : std::uint8_t { made, omitted };
  /// Paths can be omitted by who only looks at the order of the steps.
  explicit Stream(std::shared_ptr<const Plan> plan, Texts texts = Texts::made);

  /// The next step; false when there is none any more. Never blocks. Throws Error (bad_job) for what only shows now, in
  /// jobs too long to be walked through when loaded: a datum read before it was written, or accessed twice by a task
  /// that writes it.
  bool next(Step& step);

 private:
  enum class Phase : std::uint8_t { enter, prepare, origin, run, release, leave, finished };

  void enter_entry();
  void begin_step();
  bool prepare(Step& step);
  void yield_make(Step& step, std::size_t access);
  void yield_origin(Step& step);
  void yield_run(Step& step);
  bool release(Step& step);
  bool leave(Step& step);
  void yield_release(Step& step, Datum datum);
  void check_aliases() const;

  /// Which elements of a family were made and not yet released. Empty until the first is made.
  using Bits = std::vector<std::uint64_t>;
  [[nodiscard]] bool is_alive(Datum datum) const;
  void set_alive(Datum datum);

  std::shared_ptr<const Plan> plan_;
  Texts texts_;
  Phase phase_ = Phase::enter;
  std::size_t entry_number_ = 0;
  const Entry* entry_ = nullptr;
  std::size_t cursor_ = 0;  ///< within the list that the phase goes through
  std::size_t word_ = 0;    ///< leave: within the bits of a family
  std::vector<std::int64_t> indices_;
  std::vector<DatumAccess> accesses_;
  std::vector<Bits> alive_;  ///< by family
  std::vector<std::int64_t> origin_indices_;
  std::vector<DatumAccess> origin_access_;
  std::vector<Parameter> origin_parameters_;
};

}  // namespace penstock::jobs
