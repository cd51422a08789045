/// Walks through the loops of a plan: which entry comes next, at which indices. One thread at a time; several walkers
/// of one plan are independent.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "jobs/plan.hpp"

namespace penstock::jobs {

class Walker {
 public:
  enum class Event : std::uint8_t {
    step,      ///< entry() is to be done at indices()
    passed,    ///< the loop of node() went on, or ended; only of nodes where something is released then
    paused,    ///< nothing was found for 2^16 turns: a chance to look up, in loops whose conditions are false
    finished,  ///< from now on
  };

  /// The plan must stay as long as the walker. With `only`, all other entries are left out.
  explicit Walker(const Plan& plan, std::optional<std::uint32_t> only = std::nullopt);

  Event next();

  [[nodiscard]] std::uint32_t entry() const { return *node().entry; }
  [[nodiscard]] const Indices& indices() const { return indices_; }
  /// The node whose step or end the last event was about.
  [[nodiscard]] const Node& node() const { return plan_->nodes[node_]; }
  /// passed: the outermost variable that moved on; nothing when the loop has ended.
  [[nodiscard]] std::optional<std::uint32_t> moved() const { return moved_; }

 private:
  /// A node whose loop is at some step, and the next of its children; an entry has one.
  struct Frame {
    std::uint32_t node;
    std::uint32_t next;
    std::uint32_t children;
  };
  static constexpr std::int64_t turns_max = std::int64_t{1} << 16;

  void begin_search(std::uint32_t node, bool is_entering);
  bool end_search(Loop::Found found);
  bool is_at_step();

  const Plan* plan_;
  std::vector<std::uint32_t> path_;  ///< the only nodes to enter, from the root on; empty: all
  std::vector<Frame> frames_;
  Indices indices_;
  std::uint32_t node_ = 0;
  std::optional<std::uint32_t> moved_;
  Loop::Search search_;  ///< in the loop of node_
  bool is_searching_ = true;
  bool is_entering_ = true;  ///< the search is for the first step of the loop
};

}  // namespace penstock::jobs
