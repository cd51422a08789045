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
  bool enter(std::uint32_t node);
  bool go_on();

  const Plan* plan_;
  std::vector<std::uint32_t> path_;  ///< the only nodes to enter, from the root on; empty: all
  std::vector<Frame> frames_;
  Indices indices_;
  std::uint32_t node_ = 0;
  std::optional<std::uint32_t> moved_;
  bool has_begun_ = false;
};

}  // namespace penstock::jobs
