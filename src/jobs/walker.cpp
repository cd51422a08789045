#include "jobs/walker.hpp"

#include <algorithm>

namespace penstock::jobs {

Walker::Walker(const Plan& plan, std::optional<std::uint32_t> only) : plan_(&plan) {
  indices_.values.resize(plan.indices);
  indices_.limits.resize(plan.indices);
  if (!only) return;
  for (std::uint32_t node = plan.entries[*only].node; node != 0; node = plan.nodes[node].parent) path_.push_back(node);
  path_.push_back(0);
  std::ranges::reverse(path_);
}

Walker::Event Walker::next() {
  if (!has_begun_) {
    has_begun_ = true;
    enter(0);
  }
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next == frame.children) {
      if (go_on()) return Event::passed;
      continue;
    }
    const Node& parent = plan_->nodes[frame.node];
    const std::uint32_t place = frame.next++;
    if (parent.entry) {
      node_ = frame.node;
      return Event::step;
    }
    if (enter(path_.empty() ? parent.children[place] : path_[frames_.size()])) return Event::passed;
  }
  return Event::finished;
}

/// Whether the node has no step and there is something to be released all the same.
bool Walker::enter(std::uint32_t node) {
  const Node& entered = plan_->nodes[node];
  if (entered.loop.first(indices_)) {
    const bool is_one = entered.entry || !path_.empty();
    const auto children = static_cast<std::uint32_t>(is_one ? 1 : entered.children.size());
    frames_.push_back({node, 0, children});
    return false;
  }
  node_ = node;
  moved_.reset();
  return !entered.last_families.empty();
}

/// Moves the innermost loop on, or leaves it. Whether that releases something.
bool Walker::go_on() {
  Frame& frame = frames_.back();
  node_ = frame.node;
  const Node& moving = plan_->nodes[node_];
  if (const auto place = moving.loop.advance(indices_)) {
    frame.next = 0;
    if (moving.lifetimes.empty()) return false;
    moved_ = moving.loop.ranges[*place].variable;
    return true;
  }
  frames_.pop_back();
  moved_.reset();
  return !moving.lifetimes.empty() || !moving.last_families.empty();
}

}  // namespace penstock::jobs
