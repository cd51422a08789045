/// Random numbers that are the same everywhere for one seed (SplitMix64); the standard's distributions are not.
#pragma once

#include <cstdint>

namespace penstock::support {

/// A good mix of all 64 bits, without a fixed point near zero.
constexpr std::uint64_t mix(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15U;
    return mix(state_);
  }
  /// A number below `end`, which is not 0.
  std::uint64_t below(std::uint64_t end) { return bits() % end; }
  /// A number from `first` to `last`.
  std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace penstock::support
