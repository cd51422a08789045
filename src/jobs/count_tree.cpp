#include "jobs/count_tree.hpp"

namespace penstock::jobs {

using Kind = CountTree::Action::Kind;

std::optional<CountTree::Action> CountTree::next() {
  switch (stage_) {
    case Stage::choose:
      return choose();
    case Stage::add:
      stage_ = Stage::release_left;
      return Action{.kind = Kind::add, .left = left(), .right = carry_, .result = result_};
    case Stage::release_left:
      stage_ = Stage::release_right;
      kept_ &= ~(std::uint64_t{1} << level_);
      return Action{.kind = Kind::release, .left = left()};
    case Stage::release_right: {
      const std::int64_t gone = carry_;
      carry_ = result_;
      if (!is_ending_) ++level_;
      stage_ = Stage::choose;
      return Action{.kind = Kind::release, .left = gone};
    }
    case Stage::release_sum:
      stage_ = Stage::idle;
      return Action{.kind = Kind::release, .left = carry_};
    case Stage::idle:
      break;
  }
  return std::nullopt;
}

std::optional<CountTree::Action> CountTree::choose() {
  if (is_ending_) return end();
  if (has(level_)) return make(2 * (std::int64_t{level_} + 1) + (has(level_ + 1) ? 1 : 0));
  kept_ |= std::uint64_t{1} << level_;
  stage_ = Stage::idle;
  if (!is_last_) return std::nullopt;
  is_ending_ = true;
  level_ = std::countr_zero(kept_);
  kept_ &= kept_ - 1;
  carry_ = left();
  return end();
}

/// Joins what is kept, lowest level first.
std::optional<CountTree::Action> CountTree::end() {
  if (kept_ == 0) {
    stage_ = Stage::release_sum;
    return Action{.kind = Kind::publish, .left = carry_};
  }
  level_ = std::countr_zero(kept_);
  return make(left() + 1);
}

CountTree::Action CountTree::make(std::int64_t place) {
  result_ = place;
  stage_ = Stage::add;
  return {.kind = Kind::make, .result = place};
}

}  // namespace penstock::jobs
