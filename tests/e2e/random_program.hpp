/// A random program over a few small arrays, and what it computes when it is run one operation after the other: the
/// oracle of the tests that run it in parallel. Pure; the same seed gives the same program everywhere.
///
/// Arithmetic is on 64-bit integers, and element by element on uniform numbers and on whole ones below 2^24, so results
/// are equal bit for bit whatever the order in which independent tasks run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::tests {

/// What a task of the program does. Arrays of integers are a, b, c; arrays of reals are x.
enum class TaskKind : std::uint8_t {
  fresh,   ///< write a, from the salt alone
  map,     ///< write a, read b
  mix,     ///< read_write a, read b, read c
  cross,   ///< read_write a, read_write b
  narrow,  ///< write x, read b
  widen,   ///< read_write a, read x
  scale,   ///< read_write x
  gather,  ///< reduce a by sum, read b
  extend,  ///< reduce x by maximum, read b
  add,     ///< commute a, read b; not where tasks fail, since it is open which of the others come before
};
inline constexpr int task_kinds = 10;

struct Operation {
  enum class Kind : std::uint8_t {
    make,  ///< a new array in place of the one at `arrays[0]`, whose handle is dropped: fill_value(salt) or
           ///< uniform(salt)
    task,
    read,  ///< look at the value of `arrays[0]` now
    keep,  ///< as read, and keep the view until the program's end
    wait,  ///< wait for `arrays[0]`
  };
  Kind kind = Kind::task;
  TaskKind task = TaskKind::fresh;
  std::vector<std::size_t> arrays;  ///< places, in the order of the kernel's accesses
  std::int64_t salt = 0;
  bool fails = false;  ///< the task throws instead
};

struct ProgramShape {
  std::size_t operations = 200;
  bool with_failures = false;
};

/// The first places are arrays of integers, the rest of reals; each has its own size, some are empty or scalars.
inline constexpr std::size_t integer_places = 9;
inline constexpr std::size_t real_places = 4;
inline constexpr std::size_t places = integer_places + real_places;
[[nodiscard]] std::int64_t elements_at(std::size_t place);

[[nodiscard]] std::vector<Operation> random_program(std::uint64_t seed, const ProgramShape& shape);

/// The bodies of the kernels, shared by the oracle and the tasks. Reads index modulo their size; an empty array reads
/// as 0.
namespace body {
void fresh(std::span<std::int64_t> a, std::int64_t salt);
void map(std::span<std::int64_t> a, std::span<const std::int64_t> b, std::int64_t salt);
void mix(std::span<std::int64_t> a, std::span<const std::int64_t> b, std::span<const std::int64_t> c,
         std::int64_t salt);
void cross(std::span<std::int64_t> a, std::span<std::int64_t> b, std::int64_t salt);
void narrow(std::span<float> x, std::span<const std::int64_t> b, std::int64_t salt);
void widen(std::span<std::int64_t> a, std::span<const float> x, std::int64_t salt);
void scale(std::span<float> x, std::int64_t salt);
/// Adds, wrapping around, what does not depend on `a`; also what `add` does.
void gather(std::span<std::int64_t> a, std::span<const std::int64_t> b, std::int64_t salt);
/// Takes the maximum with what does not depend on `x`.
void extend(std::span<float> x, std::span<const std::int64_t> b, std::int64_t salt);
}  // namespace body

/// What a made array of integers is filled with. One of reals holds uniform numbers below uniform_high, seeded by the
/// salt.
[[nodiscard]] std::int64_t fill_value(std::int64_t salt);
inline constexpr double uniform_high = 1000.0;
/// Makes those numbers, without help of what is tested.
using Uniform = std::function<void(std::span<float>, std::int64_t seed)>;

/// The value of an array at some point of the program; meaningless where a failure spoilt it.
struct Value {
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  bool spoilt = false;
};

/// Runs a program serially.
class Oracle {
 public:
  explicit Oracle(Uniform uniform);
  /// Carries the operation out.
  void run(const Operation& operation);
  [[nodiscard]] const Value& at(std::size_t place) const { return values_[place]; }
  /// Tasks that failed or were skipped so far.
  [[nodiscard]] std::uint64_t not_done() const { return not_done_; }

 private:
  /// 2^level tasks that reduce, as one partial result: whether it is spoilt. Its value is in the place already, since
  /// what the tasks of random programs reduce by gives the same in any order.
  struct Partial {
    int level = 0;
    bool spoilt = false;
  };

  void run_task(const Operation& operation);
  void compute(const Operation& operation);
  void reduce(std::size_t place, bool spoilt);
  void combine_last(std::vector<Partial>& partials);
  void fold(std::size_t place);

  Uniform uniform_;
  std::vector<Value> values_;
  std::vector<std::vector<Partial>> partials_;  // by place
  std::uint64_t not_done_ = 0;
};

/// What access `index` of a task of this kind does, and whether it depends on what the array held.
[[nodiscard]] bool reads(TaskKind kind, std::size_t index);
[[nodiscard]] AccessMode mode(TaskKind kind, std::size_t index);

/// A difference in one line; empty: the same. For messages that name seed and operation.
[[nodiscard]] std::string difference(const Value& expected, std::span<const std::int64_t> actual);
[[nodiscard]] std::string difference(const Value& expected, std::span<const float> actual);

}  // namespace penstock::tests
