/// Arrays: the data that tasks read and write, and how a program names them in a submit().
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>

#include <penstock/error.hpp>
#include <penstock/kernel.hpp>
#include <penstock/types.hpp>

namespace penstock {

class Runtime;

namespace detail {
/// One datum of a runtime. The last handle to go releases it; its bytes stay until its last task has ended.
struct Datum {
  std::uint32_t id = 0;
  ArrayType type;
  std::weak_ptr<void> owner;  ///< the runtime's state; a handle may outlive it

  Datum(std::uint32_t number, const ArrayType& array_type, std::weak_ptr<void> runtime)
      : id(number), type(array_type), owner(std::move(runtime)) {}
  Datum(const Datum&) = delete;
  Datum& operator=(const Datum&) = delete;
  ~Datum();
};
}  // namespace detail

/// A handle to an array of the runtime; copies name the same array. Cheap to copy, safe to use from several threads.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::shared_ptr<detail::Datum> datum) : datum_(std::move(datum)) {}
  [[nodiscard]] const Shape& shape() const { return datum_->type.shape; }
  [[nodiscard]] const std::shared_ptr<detail::Datum>& datum() const { return datum_; }

 private:
  std::shared_ptr<detail::Datum> datum_;
};

/// One access of a task about to be submitted, and the line that names it. Borrows the array: for use within the call.
template <class T, AccessMode Mode>
struct Access {
  using Element = T;
  static constexpr AccessMode mode = Mode;
  const detail::Datum* datum;
  std::source_location where;
};

template <class T>
Access<T, AccessMode::read> read(const Array<T>& array, std::source_location where = std::source_location::current()) {
  return {array.datum().get(), where};
}
template <class T>
Access<T, AccessMode::write> write(const Array<T>& array,
                                   std::source_location where = std::source_location::current()) {
  return {array.datum().get(), where};
}
template <class T>
Access<T, AccessMode::read_write> read_write(const Array<T>& array,
                                             std::source_location where = std::source_location::current()) {
  return {array.datum().get(), where};
}

/// For a body's InOut. The tasks that commute at an array run one at a time, in any order.
template <class T>
Access<T, AccessMode::commute> commute(const Array<T>& array,
                                       std::source_location where = std::source_location::current()) {
  return {array.datum().get(), where};
}

/// What fills a new array: the first task of that array.
struct Origin {
  const char* kernel = nullptr;  ///< absent: nothing; the array must be written before it is read
  std::vector<std::pair<const char*, Parameter>> parameters;
};
/// Uniform numbers in [low, high); integers are rounded down and need bounds. A value depends on seed and index alone
/// (Philox 4x32-10).
inline Origin uniform(std::int64_t seed, double low = 0.0, double high = 1.0) {
  return {"uniform", {{"seed", seed}, {"low", low}, {"high", high}}};
}
/// Normal numbers, f32 or f64. A value depends on seed and index alone (Philox 4x32-10, Box and Muller's method).
inline Origin normal(std::int64_t seed, double mean = 0.0, double deviation = 1.0) {
  return {"normal", {{"seed", seed}, {"mean", mean}, {"deviation", deviation}}};
}
/// Every element is `value`.
inline Origin fill(double value) { return {"fill", {{"value", value}}}; }
inline Origin zeros() { return fill(0.0); }
inline Origin ones() { return fill(1.0); }
/// 0, 1, 2, ... in row-major order.
inline Origin iota() { return {"iota", {}}; }
/// The array in an .npy file; its dtype and shape must be those of the array.
inline Origin file(std::string path) { return {"load", {{"path", Parameter(std::move(path))}}}; }

/// A reduction by element that needs no kernel of the program.
class Operation {
 public:
  explicit constexpr Operation(const char* name) : name_(name) {}
  [[nodiscard]] constexpr const char* name() const { return name_; }

 private:
  const char* name_;
};
// ps::sum is one too.
inline constexpr Operation product{"product"};
/// Not a number where one is not.
inline constexpr Operation minimum{"minimum"};
inline constexpr Operation maximum{"maximum"};

namespace detail {
/// What a reduction is made of. Borrowed for a submit().
struct ReductionParts {
  const char* combine = nullptr;    ///< the kernel; absent: `operation` says it all
  const Origin* neutral = nullptr;  ///< absent likewise
  const char* operation = nullptr;
};
}  // namespace detail

/// A task's access that reduces into an array.
template <class T>
struct ReducingAccess {
  using Element = T;
  static constexpr AccessMode mode = AccessMode::reduce;
  const detail::Datum* datum;
  detail::ReductionParts parts;
  std::source_location where;
};

/// For a body's InOut. What the body finds is an array of its own, filled with the neutral element of the operation: 0
/// for ps::sum, 1 for ps::product, the greatest value for ps::minimum, the least for ps::maximum. The arrays of all
/// tasks that reduce, and what the array held before if it was written, are combined in a tree that follows from the
/// order of the submissions alone: the same bits on any number of workers and ranks.
template <class T>
ReducingAccess<T> reduce(const Array<T>& array, const Operation& operation,
                         std::source_location where = std::source_location::current()) {
  return {array.datum().get(), {.operation = operation.name()}, where};
}

}  // namespace penstock
