#include "frontend/reductions.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <penstock/kernel.hpp>

#include "core/place.hpp"
#include "frontend/frontend.hpp"

namespace penstock::frontend {

using core::DataId;
using core::TaskId;
using engine::Submission;

namespace {

[[noreturn]] void refuse(const Submission& task, std::size_t access, const std::string& fault) {
  throw Error(ErrorCode::invalid_argument,
              core::at(task.place) + "access " + std::to_string(access + 1) + " reduces into an array that " + fault);
}

}  // namespace

class Reductions::Fresh {
 public:
  explicit Fresh(Frontend& frontend) : frontend_(frontend) {}
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  ~Fresh() {
    for (const DataId data : data_) frontend_.drop(data);
  }
  [[nodiscard]] DataId add(const ArrayType& type) { return data_.emplace_back(frontend_.add_data(type)); }
  void keep() { data_.clear(); }

 private:
  Frontend& frontend_;
  std::vector<DataId> data_;
};

// --- submission ---

TaskId Reductions::submit(std::span<const Submission> tasks) {
  frontend_.refuse_inside("submit()");
  TaskId first;
  for (const Submission& task : tasks) {
    const std::lock_guard order(order_);
    for (const graph::Access& access : task.accesses) fold(access.data);
    const TaskId id = frontend_.take({&task, 1});
    if (first == TaskId()) first = id;
  }
  return first;
}

TaskId Reductions::submit(const Submission& task, std::span<const Reduction> reductions) {
  frontend_.refuse_inside("submit()");
  check(task);
  const std::lock_guard order(order_);
  prepare(task, reductions);
  Fresh fresh(frontend_);
  std::vector<graph::Access> accesses(task.accesses.begin(), task.accesses.end());
  auto reduction = reductions.begin();
  for (graph::Access& access : accesses) {
    if (access.mode == AccessMode::reduce) {
      access = {begin(task, access.data, *reduction++, fresh), AccessMode::read_write};
    }
  }
  Submission lowered = task;
  lowered.accesses = accesses;
  const TaskId id = frontend_.take({&lowered, 1});
  fresh.keep();
  reduction = reductions.begin();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const graph::Access& access = task.accesses[i];
    if (access.mode == AccessMode::reduce) add(access.data, accesses[i].data, *reduction++, task);
  }
  for (const graph::Access& access : task.accesses) {
    if (access.mode == AccessMode::reduce) carry(*find(access.data));
  }
  return id;
}

void Reductions::check(const Submission& task) const {
  for (std::size_t i = 0; i < task.accesses.size(); ++i) {
    const graph::Access& access = task.accesses[i];
    if (access.mode != AccessMode::reduce) continue;
    if (frontend_.standing(access.data).is_read_only) refuse(task, i, "the task around this one only reads");
    for (std::size_t j = 0; j < task.accesses.size(); ++j) {
      if (j == i || task.accesses[j].data != access.data) continue;
      refuse(task, i, "the same task accesses besides, as access " + std::to_string(j + 1));
    }
  }
}

/// Folds what the task touches otherwise than before.
void Reductions::prepare(const Submission& task, std::span<const Reduction> reductions) {
  auto next = reductions.begin();
  for (const graph::Access& access : task.accesses) {
    if (access.mode != AccessMode::reduce) {
      fold(access.data);
      continue;
    }
    const Reduction& reduction = *next++;
    const Open* const open = find(access.data);
    if (open == nullptr) continue;
    const bool is_same = open->combine == reduction.combine && open->neutral == reduction.neutral &&
                         std::ranges::equal(open->combine_parameters, reduction.combine_parameters) &&
                         std::ranges::equal(open->neutral_parameters, reduction.neutral_parameters);
    if (!is_same) fold(access.data);
  }
}

/// What the task works on in place of the array.
DataId Reductions::begin(const Submission& task, DataId data, const Reduction& reduction, Fresh& fresh) {
  const engine::Standing standing = frontend_.standing(data);
  const bool is_own = find(data) == nullptr && !standing.is_written;
  const DataId partial = is_own ? data : fresh.add(standing.type);
  const graph::Access access{partial, AccessMode::write};
  insert({.kernel = reduction.neutral,
          .priority = task.priority,
          .accesses = {&access, 1},
          .parameters = reduction.neutral_parameters,
          .place = task.place,
          .group = task.group});
  return partial;
}

void Reductions::add(DataId data, DataId partial, const Reduction& reduction, const Submission& task) {
  Open* open = find(data);
  if (open == nullptr) {
    const std::lock_guard lock(mutex_);
    open = &open_[data];
    open_count_.store(open_.size(), std::memory_order_relaxed);
    open->combine = reduction.combine;
    open->combine_parameters.assign(reduction.combine_parameters.begin(), reduction.combine_parameters.end());
    open->neutral = reduction.neutral;
    open->neutral_parameters.assign(reduction.neutral_parameters.begin(), reduction.neutral_parameters.end());
    open->name = reduction.name;
  }
  open->place = task.place;
  open->priority = task.priority;
  open->partials.push_back({.data = partial});
}

void Reductions::insert(const Submission& task) {
  frontend_.take({&task, 1});
  inserted_.fetch_add(1, std::memory_order_relaxed);
}

// --- combining ---

void Reductions::carry(Open& open) {
  const std::vector<Partial>& partials = open.partials;
  while (partials.size() > 1 && partials.back().level == partials[partials.size() - 2].level) combine_last(open);
}

void Reductions::combine_last(Open& open) {
  Partial& into = open.partials[open.partials.size() - 2];
  combine(open, into.data, open.partials.back().data);
  ++into.level;
  open.partials.pop_back();
}

void Reductions::combine(const Open& open, DataId into, DataId from) {
  const std::array<graph::Access, 2> accesses{{{into, AccessMode::read_write}, {from, AccessMode::read}}};
  insert({.kernel = open.combine,
          .priority = open.priority,
          .accesses = accesses,
          .parameters = open.combine_parameters,
          .place = open.place,
          .name = open.name});
  frontend_.drop(from);
}

void Reductions::fold(DataId data) {
  Open* const open = find(data);
  if (open == nullptr) return;
  std::vector<Partial>& partials = open->partials;
  while (partials.size() > 1) combine_last(*open);
  if (partials.front().data != data) combine(*open, data, partials.front().data);
  const bool is_released = open->is_released;
  {
    const std::lock_guard lock(mutex_);
    open_.erase(data);
    open_count_.store(open_.size(), std::memory_order_relaxed);
  }
  if (is_released) frontend_.drop(data);
}

void Reductions::fold_all() {
  const std::lock_guard order(order_);
  while (true) {
    DataId data;
    {
      const std::lock_guard lock(mutex_);
      if (open_.empty()) return;
      data = open_.begin()->first;
    }
    fold(data);
  }
}

// --- the rest ---

Pinned Reductions::pin(DataId data, bool for_view) {
  if (find(data) == nullptr) return frontend_.hold(data, for_view);
  frontend_.refuse_inside("a wait for an array that is reduced into");
  const std::lock_guard order(order_);
  fold(data);
  return frontend_.hold(data, for_view);
}

/// Nobody is left who could look at the array, so its partial results are let go of; unless it is borrowed.
void Reductions::release(DataId data) {
  const bool is_borrowed = frontend_.standing(data).is_borrowed;
  decltype(open_)::node_type open;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(data);
    if (found != open_.end() && is_borrowed) {
      found->second.is_released = true;
      return;
    }
    if (found != open_.end()) open = open_.extract(found);
    open_count_.store(open_.size(), std::memory_order_relaxed);
  }
  if (!open.empty()) {
    for (const Partial& partial : open.mapped().partials) {
      if (partial.data != data) frontend_.drop(partial.data);
    }
  }
  frontend_.drop(data);
}

Reductions::Open* Reductions::find(DataId data) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(data);
  return found == open_.end() ? nullptr : &found->second;
}

}  // namespace penstock::frontend
