/// Ids and amounts as types, so that two numbers side by side cannot be confused.
#pragma once

#include <compare>
#include <cstdint>

namespace penstock::core {

/// A number of one kind. Ordered, hashable by value(), not convertible to another kind.
template <class Tag, class Number>
class Id {
 public:
  using Value = Number;
  constexpr Id() = default;
  constexpr explicit Id(Number value) : value_(value) {}
  [[nodiscard]] constexpr Number value() const { return value_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  Number value_ = 0;
};

/// A datum. Dense; reused after the datum is gone on every rank, its versions counting on.
using DataId = Id<struct DataTag, std::uint32_t>;
/// A version of a datum: the number of writes before it in program order. Version 0 has no content.
using Version = Id<struct VersionTag, std::uint64_t>;
/// A task, numbered in program order from 1; never reused. 0 is no task.
using TaskId = Id<struct TaskTag, std::uint64_t>;
/// An execution of a task; numbered from 1, never reused.
using Attempt = Id<struct AttemptTag, std::uint32_t>;
/// A rank: its number in the world communicator.
using RankId = Id<struct RankTag, std::int32_t>;
/// A kernel: its place in the sorted table of names, equal on all ranks.
using KernelId = Id<struct KernelTag, std::uint16_t>;
/// A device of one rank. Device 0 is the rank's cores.
using DeviceId = Id<struct DeviceTag, std::uint16_t>;

/// A time on one rank's steady clock.
struct Instant {
  std::int64_t ns = 0;
  friend constexpr auto operator<=>(Instant, Instant) = default;
};

inline constexpr RankId front_rank{0};
inline constexpr RankId no_rank{-1};

}  // namespace penstock::core
