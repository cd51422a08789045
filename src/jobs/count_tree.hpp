/// Adds up numbers that come one after the other, as a binary counter does: two neighbours of a level make one of the
/// next, so that the sums of a level do not wait for each other, and only a few are kept. Says what is to be done; the
/// numbers are data of the job. Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace penstock::jobs {

class CountTree {
 public:
  /// The places of the numbers are 2 * level and 2 * level + 1.
  struct Action {
    enum class Kind : std::uint8_t {
      make,     ///< a datum at `result`
      add,      ///< left + right -> result
      release,  ///< the datum at `left`
      publish,  ///< `left` is the sum of all
    };
    Kind kind = Kind::make;
    std::int64_t left = 0;
    std::int64_t right = 0;
    std::int64_t result = 0;
  };

  /// Where the next number goes.
  [[nodiscard]] std::int64_t leaf() const { return has(0) ? 1 : 0; }
  /// It is there. `is_last`: no other one comes, and the tree begins anew afterwards.
  void take(bool is_last) {
    carry_ = leaf();
    level_ = 0;
    is_last_ = is_last;
    is_ending_ = false;
    stage_ = Stage::choose;
  }
  /// What is to be done next; nothing when the next number is wanted.
  std::optional<Action> next();

 private:
  enum class Stage : std::uint8_t { idle, choose, add, release_left, release_right, release_sum };

  [[nodiscard]] bool has(int level) const { return (kept_ >> level & 1) != 0; }
  [[nodiscard]] std::int64_t left() const { return 2 * std::int64_t{level_}; }
  std::optional<Action> choose();
  std::optional<Action> end();
  Action make(std::int64_t place);

  std::uint64_t kept_ = 0;  ///< the levels where a number waits for its neighbour
  int level_ = 0;
  std::int64_t carry_ = 0;   ///< the number that is on its way up
  std::int64_t result_ = 0;  ///< what it becomes
  bool is_last_ = false;
  bool is_ending_ = false;  ///< what is kept is added up
  Stage stage_ = Stage::idle;
};

}  // namespace penstock::jobs
