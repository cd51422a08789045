/// When what tasks may still name can be used again. Tasks are of one of two generations; a datum that is let go of may
/// be named by tasks of this generation and of the one before, and by no later one. Pure: its owner counts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace penstock::engine {

template <class T>
class Generations {
 public:
  /// Of tasks submitted now: 0 or 1.
  [[nodiscard]] std::uint8_t current() const { return current_; }
  void submitted() { ++submitted_[current_]; }
  [[nodiscard]] std::uint64_t submitted_in_all() const { return submitted_[0] + submitted_[1]; }

  void retire(T* thing) { retired_[current_].push_back(thing); }
  [[nodiscard]] bool has_retired() const { return !retired_[0].empty() || !retired_[1].empty(); }
  [[nodiscard]] std::size_t retired() const { return retired_[0].size() + retired_[1].size(); }

  /// `ended` says how many tasks of each generation have ended. Where all of the one before have, a new one begins, and
  /// what was retired in that one goes to `reclaim`: everything that came before it had ended when it was retired.
  template <class Reclaim>
  void turn(const std::array<std::uint64_t, 2>& ended, Reclaim reclaim) {
    const auto before = static_cast<std::uint8_t>(1 - current_);
    if (ended[before] != submitted_[before]) return;
    for (T* thing : retired_[before]) reclaim(*thing);
    retired_[before].clear();
    current_ = before;
  }

 private:
  std::uint8_t current_ = 0;
  std::array<std::uint64_t, 2> submitted_{};
  std::array<std::vector<T*>, 2> retired_;
};

}  // namespace penstock::engine
