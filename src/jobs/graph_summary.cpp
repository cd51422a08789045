#include "jobs/graph_summary.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "jobs/datum_table.hpp"
#include "jobs/levels.hpp"

namespace penstock::jobs {

namespace {

constexpr std::int64_t steps_between_watches = std::int64_t{1} << 14;

/// Both are not negative.
std::int64_t capped_sum(std::int64_t left, std::int64_t right) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  return left > largest - right ? largest : left + right;
}

struct TypeHash {
  std::size_t operator()(const ArrayType& type) const {
    auto hash = static_cast<std::size_t>(type.dtype);
    for (const std::int64_t extent : type.shape.extents()) {
      hash = (hash ^ static_cast<std::size_t>(extent)) * std::size_t{0x9e3779b97f4a7c15U};
    }
    return hash;
  }
};

/// The distinct types of a job's data: a datum keeps a pointer to its type.
class Types {
 public:
  struct Sized {
    ArrayType type;
    std::int64_t bytes = 0;
  };
  /// Valid as long as this object.
  const Sized* find(const ArrayType& type) {
    if (last_ == nullptr || last_->type != type) {
      last_ = &known_.try_emplace(type, Sized{type, type.bytes()}).first->second;
    }
    return last_;
  }

 private:
  std::unordered_map<ArrayType, Sized, TypeHash> known_;  // looked up only
  const Sized* last_ = nullptr;
};

/// A live datum: its type and its present version.
struct LiveDatum {
  const Types::Sized* type = nullptr;
  std::int64_t level = 0;      ///< of the task that made the version
  double path_flops = 0.0;     ///< most on a path that ends with that task
  std::int64_t last_task = 0;  ///< the number of the last one that accessed it, so that each counts it once
};
static_assert(sizeof(LiveDatum) == 32, "as the header says");

/// A task that is described later, since describing one takes longer than all else.
class KeptTask {
 public:
  void keep(const Step& step) {
    kernel_ = step.kernel;
    place_ = step.place;
    name_.assign(step.name);
    accesses_.assign(step.accesses.begin(), step.accesses.end());
  }
  [[nodiscard]] std::optional<TaskText> text(const Job& job) const {
    if (kernel_ == nullptr) return std::nullopt;
    Step step;
    step.kernel = kernel_;
    step.place = place_;
    step.name = name_;
    step.accesses = accesses_;
    return task_text(job, step);
  }
  [[nodiscard]] bool empty() const { return kernel_ == nullptr; }

 private:
  const KernelDescription* kernel_ = nullptr;
  Place place_;
  std::string name_;
  std::vector<DatumAccess> accesses_;
};

class Summarizer {
 public:
  void take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::make:
        make(step);
        return;
      case Step::Kind::release:
        release(step);
        return;
      case Step::Kind::task:
      case Step::Kind::save:
        run(step);
        return;
      case Step::Kind::pause:
        return;
    }
  }

  [[nodiscard]] std::int64_t tasks() const { return number_; }
  [[nodiscard]] GraphSummary end(const Job& job);

 private:
  /// The longest path to a task, the task included.
  struct Path {
    std::int64_t level = 1;
    double flops = 0.0;
  };

  void make(const Step& step);
  void release(const Step& step);
  void run(const Step& step);
  KernelUse& count(const Step& step, std::int64_t bytes);
  [[nodiscard]] std::int64_t bytes_of(const Step& step);
  double flops_of(const Step& step, KernelUse& use);
  void extend(const Step& step, double flops);
  void remember(const Step& step, std::int64_t bytes);
  [[nodiscard]] std::int64_t bytes_by(std::string_view kernel) const;

  GraphSummary summary_;
  DatumTable<LiveDatum> alive_;
  Types types_;
  Levels levels_;
  std::int64_t alive_bytes_ = 0;
  std::int64_t number_ = 0;
  bool flops_known_ = true;  ///< so far
  double flops_ = 0.0;
  double path_flops_ = 0.0;
  KeptTask first_;
  KeptTask last_;
  KeptTask largest_;
  std::vector<TaskAccess> typed_accesses_;  ///< of the present task
};

void Summarizer::make(const Step& step) {
  const Types::Sized* const type = types_.find(step.type);
  alive_.insert(step.datum, {.type = type});
  ++summary_.data;
  summary_.data_bytes = capped_sum(summary_.data_bytes, type->bytes);
  alive_bytes_ = capped_sum(alive_bytes_, type->bytes);
  summary_.alive_bytes_max = std::max(summary_.alive_bytes_max, alive_bytes_);
}

void Summarizer::release(const Step& step) {
  // Once the sum was capped it is too low, and the most is known to be the cap.
  alive_bytes_ = std::max<std::int64_t>(alive_bytes_ - alive_.at(step.datum).type->bytes, 0);
  alive_.erase(step.datum);
}

void Summarizer::run(const Step& step) {
  ++number_;
  const std::int64_t bytes = bytes_of(step);
  KernelUse& use = count(step, bytes);
  extend(step, flops_of(step, use));
  remember(step, bytes);
}

std::int64_t Summarizer::bytes_of(const Step& step) {
  std::int64_t bytes = 0;
  for (const DatumAccess& access : step.accesses) {
    LiveDatum& datum = alive_.at(access.datum);
    if (datum.last_task == number_) continue;
    datum.last_task = number_;
    bytes = capped_sum(bytes, datum.type->bytes);
  }
  return bytes;
}

KernelUse& Summarizer::count(const Step& step, std::int64_t bytes) {
  const bool is_save = step.kind == Step::Kind::save;
  ++(is_save          ? summary_.saves
     : step.is_part   ? summary_.save_parts
     : step.is_origin ? summary_.origins
                      : summary_.tasks);
  auto use = std::ranges::find(summary_.kernels, step.kernel, &KernelUse::kernel);
  if (use == summary_.kernels.end()) use = summary_.kernels.insert(use, KernelUse{.kernel = step.kernel});
  ++use->tasks;
  use->bytes = capped_sum(use->bytes, bytes);
  return *use;
}

double Summarizer::flops_of(const Step& step, KernelUse& use) {
  if (!step.kernel->flops) {
    use.flops.reset();
    if (step.kind == Step::Kind::task && !step.is_origin && !step.is_part) flops_known_ = false;
    return 0.0;
  }
  typed_accesses_.clear();
  for (const DatumAccess& access : step.accesses) {
    typed_accesses_.push_back({seen_by_body(access.mode), alive_.at(access.datum).type->type});
  }
  const double flops = step.kernel->flops(typed_accesses_, step.parameters);
  *use.flops += flops;
  flops_ += flops;
  return flops;
}

/// Puts the task on its level and makes the versions that it writes.
void Summarizer::extend(const Step& step, double flops) {
  Path before{.level = 0};
  for (const DatumAccess& access : step.accesses) {
    if (!reads(access.mode)) continue;
    const LiveDatum& datum = alive_.at(access.datum);
    before.level = std::max(before.level, datum.level);
    before.flops = std::max(before.flops, datum.path_flops);
  }
  const Path path{.level = before.level + 1, .flops = before.flops + flops};
  for (const DatumAccess& access : step.accesses) {
    if (!writes(access.mode)) continue;
    LiveDatum& datum = alive_.at(access.datum);
    const bool adds = access.mode == AccessMode::reduce;  // to what the others did
    datum.level = adds ? std::max(datum.level, path.level) : path.level;
    datum.path_flops = adds ? std::max(datum.path_flops, path.flops) : path.flops;
  }
  levels_.add(path.level);
  path_flops_ = std::max(path_flops_, path.flops);
}

void Summarizer::remember(const Step& step, std::int64_t bytes) {
  if (step.is_origin || step.is_part) return;
  if (bytes > summary_.largest_task_bytes || largest_.empty()) {
    summary_.largest_task_bytes = bytes;
    largest_.keep(step);
  }
  if (step.kind != Step::Kind::task) return;
  if (first_.empty()) first_.keep(step);
  last_.keep(step);
}

std::int64_t Summarizer::bytes_by(std::string_view kernel) const {
  const auto use =
      std::ranges::find_if(summary_.kernels, [&](const KernelUse& each) { return each.kernel->name == kernel; });
  return use == summary_.kernels.end() ? 0 : use->bytes;
}

GraphSummary Summarizer::end(const Job& job) {
  summary_.bytes_read = bytes_by("load");
  summary_.bytes_written = capped_sum(bytes_by("save"), bytes_by("save_part"));
  std::ranges::stable_sort(summary_.kernels, std::greater{}, &KernelUse::tasks);
  summary_.first_task = first_.text(job);
  summary_.last_task = last_.text(job);
  summary_.largest_task = largest_.text(job);
  summary_.depth = levels_.depth();
  summary_.width = levels_.width();
  summary_.width_levels = levels_.levels_per_bin();
  if (flops_known_) {
    summary_.flops = flops_;
    summary_.path_flops = path_flops_;
  }
  return std::move(summary_);
}

}  // namespace

GraphSummary summarize(const Job& job, const Watch& watch) {
  Summarizer summarizer;
  Stream stream = job.stream();
  std::int64_t steps = 0;
  for (Step step; stream.next(step);) {
    summarizer.take(step);
    const bool is_due = ++steps % steps_between_watches == 0 || step.kind == Step::Kind::pause;
    if (watch && is_due) watch(summarizer.tasks());
  }
  return summarizer.end(job);
}

}  // namespace penstock::jobs
