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
  std::int64_t turns = turns_max;
  while (turns > 0) {
    if (!is_searching_) {
      if (frames_.empty()) return Event::finished;
      if (is_at_step()) return Event::step;
    }
    const Loop::Found found = plan_->nodes[node_].loop.seek(search_, indices_, turns);
    if (found == Loop::Found::not_yet) return Event::paused;
    if (end_search(found)) return Event::passed;
    --turns;
  }
  return Event::paused;
}

/// Whether the innermost frame is an entry whose step is to be done; else goes to its next child, or on in its loop.
bool Walker::is_at_step() {
  Frame& frame = frames_.back();
  if (frame.next == frame.children) {
    begin_search(frame.node, false);
    return false;
  }
  const Node& parent = plan_->nodes[frame.node];
  const std::uint32_t place = frame.next++;
  if (parent.entry) {
    node_ = frame.node;
    return true;
  }
  begin_search(path_.empty() ? parent.children[place] : path_[frames_.size()], true);
  return false;
}

void Walker::begin_search(std::uint32_t node, bool is_entering) {
  node_ = node;
  const Loop& loop = plan_->nodes[node].loop;
  search_ = is_entering ? loop.to_first() : loop.to_next();
  is_searching_ = true;
  is_entering_ = is_entering;
}

/// Enters the loop, moves it on or leaves it. Whether that releases something.
bool Walker::end_search(Loop::Found found) {
  is_searching_ = false;
  const Node& node = plan_->nodes[node_];
  if (found == Loop::Found::step && is_entering_) {
    const bool is_one = node.entry || !path_.empty();
    frames_.push_back({node_, 0, static_cast<std::uint32_t>(is_one ? 1 : node.children.size())});
    return false;
  }
  if (found == Loop::Found::step) {
    frames_.back().next = 0;
    if (node.lifetimes.empty()) return false;
    moved_ = node.loop.ranges[search_.outermost].variable;
    return true;
  }
  moved_.reset();
  if (is_entering_) return !node.last_families.empty();
  frames_.pop_back();
  return !node.lifetimes.empty() || !node.last_families.empty();
}

}  // namespace penstock::jobs
