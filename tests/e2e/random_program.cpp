#include "e2e/random_program.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

namespace penstock::tests {

namespace {

/// Wraps around without overflow of signed numbers.
std::int64_t blend(std::int64_t left, std::int64_t right) {
  auto bits = static_cast<std::uint64_t>(left) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(right);
  bits ^= bits >> 29;
  bits *= 0xbf58476d1ce4e5b9U;
  return static_cast<std::int64_t>(bits ^ (bits >> 32));
}

template <class T>
T element(std::span<const T> from, std::size_t index) {
  return from.empty() ? T{} : from[index % from.size()];
}

float small_whole(std::int64_t value) { return static_cast<float>(static_cast<std::uint64_t>(value) % (1U << 20)); }

struct AccessShape {
  bool real = false;
  AccessMode mode = AccessMode::read;
};

std::span<const AccessShape> accesses_of(TaskKind kind) {
  using enum AccessMode;
  static constexpr std::array<AccessShape, 1> fresh{{{false, write}}};
  static constexpr std::array<AccessShape, 2> map{{{false, write}, {false, read}}};
  static constexpr std::array<AccessShape, 3> mix{{{false, read_write}, {false, read}, {false, read}}};
  static constexpr std::array<AccessShape, 2> cross{{{false, read_write}, {false, read_write}}};
  static constexpr std::array<AccessShape, 2> narrow{{{true, write}, {false, read}}};
  static constexpr std::array<AccessShape, 2> widen{{{false, read_write}, {true, read}}};
  static constexpr std::array<AccessShape, 1> scale{{{true, read_write}}};
  static constexpr std::array<AccessShape, 2> gather{{{false, reduce}, {false, read}}};
  static constexpr std::array<AccessShape, 2> extend{{{true, reduce}, {false, read}}};
  static constexpr std::array<AccessShape, 2> add{{{false, commute}, {false, read}}};
  switch (kind) {
    case TaskKind::fresh:
      return fresh;
    case TaskKind::map:
      return map;
    case TaskKind::mix:
      return mix;
    case TaskKind::cross:
      return cross;
    case TaskKind::narrow:
      return narrow;
    case TaskKind::widen:
      return widen;
    case TaskKind::scale:
      return scale;
    case TaskKind::gather:
      return gather;
    case TaskKind::extend:
      return extend;
    case TaskKind::add:
      return add;
  }
  return {};
}

/// std::uniform_int_distribution differs between libraries; this does not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  std::int64_t salt() { return static_cast<std::int64_t>(engine_() >> 2); }

 private:
  std::mt19937_64 engine_;
};

Operation random_task(Dice& dice, bool may_fail) {
  Operation operation;
  operation.task = static_cast<TaskKind>(dice.below(may_fail ? task_kinds - 1 : task_kinds));
  operation.salt = dice.salt();
  operation.fails = may_fail && dice.below(25) == 0;
  for (const AccessShape& access : accesses_of(operation.task)) {
    std::size_t place = 0;
    do {  // a datum is named once by a task that writes it
      place = access.real ? integer_places + dice.below(real_places) : dice.below(integer_places);
    } while (std::ranges::find(operation.arrays, place) != operation.arrays.end());
    operation.arrays.push_back(place);
  }
  return operation;
}

Operation random_operation(Dice& dice, bool may_fail) {
  const std::size_t roll = dice.below(100);
  if (roll >= 12) return random_task(dice, may_fail);
  Operation operation;
  operation.kind = roll < 5    ? Operation::Kind::make
                   : roll < 9  ? Operation::Kind::read
                   : roll < 10 ? Operation::Kind::keep
                               : Operation::Kind::wait;
  operation.arrays.push_back(dice.below(places));
  operation.salt = dice.salt();
  return operation;
}

template <class T>
std::string first_difference(std::span<const T> expected, std::span<const T> actual) {
  if (expected.size() != actual.size()) {
    return std::to_string(actual.size()) + " elements in place of " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::memcmp(&expected[i], &actual[i], sizeof(T)) == 0) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(actual[i]) + " in place of " +
           std::to_string(expected[i]);
  }
  return {};
}

}  // namespace

std::int64_t elements_at(std::size_t place) {
  constexpr std::array<std::int64_t, places> elements{1, 0, 3, 64, 17, 1000, 5, 300, 2, 1, 128, 33, 700};
  return elements[place];
}

std::vector<Operation> random_program(std::uint64_t seed, const ProgramShape& shape) {
  Dice dice(seed);
  std::vector<Operation> program;
  for (std::size_t place = 0; place < places; ++place) {
    Operation make;
    make.kind = Operation::Kind::make;
    make.arrays.push_back(place);
    make.salt = dice.salt();
    program.push_back(make);
  }
  while (program.size() < shape.operations) program.push_back(random_operation(dice, shape.with_failures));
  return program;
}

AccessMode mode(TaskKind kind, std::size_t index) { return accesses_of(kind)[index].mode; }
bool reads(TaskKind kind, std::size_t index) {
  return mode(kind, index) != AccessMode::write && mode(kind, index) != AccessMode::reduce;
}

// --- bodies
// -----------------------------------------------------------------------------------------------------------

namespace body {

void fresh(std::span<std::int64_t> a, std::int64_t salt) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = blend(static_cast<std::int64_t>(i), salt);
}

void map(std::span<std::int64_t> a, std::span<const std::int64_t> b, std::int64_t salt) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = blend(element(b, i), salt);
}

void mix(std::span<std::int64_t> a, std::span<const std::int64_t> b, std::span<const std::int64_t> c,
         std::int64_t salt) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = blend(blend(a[i], element(b, i)), blend(element(c, i), salt));
}

void cross(std::span<std::int64_t> a, std::span<std::int64_t> b, std::int64_t salt) {
  const std::int64_t first = element(std::span<const std::int64_t>(a), 0);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = blend(a[i], element(std::span<const std::int64_t>(b), i));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = blend(b[i], blend(first, salt));
}

void narrow(std::span<float> x, std::span<const std::int64_t> b, std::int64_t salt) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = small_whole(blend(element(b, i), salt));
}

void widen(std::span<std::int64_t> a, std::span<const float> x, std::int64_t salt) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = blend(a[i] ^ static_cast<std::int64_t>(element(x, i)), salt);
}

void scale(std::span<float> x, std::int64_t salt) {
  for (float& value : x) value = small_whole(blend(static_cast<std::int64_t>(value), salt));
}

void gather(std::span<std::int64_t> a, std::span<const std::int64_t> b, std::int64_t salt) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto sum = static_cast<std::uint64_t>(a[i]) + static_cast<std::uint64_t>(blend(element(b, i), salt));
    a[i] = static_cast<std::int64_t>(sum);
  }
}

void extend(std::span<float> x, std::span<const std::int64_t> b, std::int64_t salt) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::max(x[i], small_whole(blend(element(b, i), salt)));
}

}  // namespace body

std::int64_t fill_value(std::int64_t salt) { return salt % 1000; }

// --- the oracle
// -------------------------------------------------------------------------------------------------------

Oracle::Oracle(Uniform uniform) : uniform_(std::move(uniform)), values_(places), partials_(places) {
  for (std::size_t place = 0; place < places; ++place) {
    const auto elements = static_cast<std::size_t>(elements_at(place));
    if (place < integer_places)
      values_[place].integers.resize(elements);
    else
      values_[place].reals.resize(elements);
  }
}

void Oracle::run(const Operation& operation) {
  if (operation.kind == Operation::Kind::task) return run_task(operation);
  if (operation.kind != Operation::Kind::make) return fold(operation.arrays[0]);
  partials_[operation.arrays[0]].clear();
  Value& value = values_[operation.arrays[0]];
  value.spoilt = false;
  std::ranges::fill(value.integers, fill_value(operation.salt));
  if (!value.reals.empty()) uniform_(value.reals, operation.salt);
}

void Oracle::run_task(const Operation& operation) {
  bool spoilt = operation.fails;
  for (std::size_t i = 0; i < operation.arrays.size(); ++i) {
    if (mode(operation.task, i) != AccessMode::reduce) fold(operation.arrays[i]);
    spoilt = spoilt || (reads(operation.task, i) && values_[operation.arrays[i]].spoilt);
  }
  if (spoilt)
    ++not_done_;
  else
    compute(operation);
  for (std::size_t i = 0; i < operation.arrays.size(); ++i) {
    const AccessMode how = mode(operation.task, i);
    if (how == AccessMode::reduce)
      reduce(operation.arrays[i], spoilt);
    else if (how != AccessMode::read)
      values_[operation.arrays[i]].spoilt = spoilt;
  }
}

// As frontend/reductions.hpp says, of which tasks are skipped.

void Oracle::reduce(std::size_t place, bool spoilt) {
  std::vector<Partial>& partials = partials_[place];
  partials.push_back({.spoilt = spoilt});
  while (partials.size() > 1 && partials.back().level == partials[partials.size() - 2].level) combine_last(partials);
}

void Oracle::combine_last(std::vector<Partial>& partials) {
  const bool spoilt = partials.back().spoilt;
  partials.pop_back();
  Partial& into = partials.back();
  ++into.level;
  into.spoilt = into.spoilt || spoilt;
  if (into.spoilt) ++not_done_;
}

void Oracle::fold(std::size_t place) {
  std::vector<Partial>& partials = partials_[place];
  if (partials.empty()) return;
  while (partials.size() > 1) combine_last(partials);
  Value& value = values_[place];
  value.spoilt = value.spoilt || partials.front().spoilt;
  if (value.spoilt) ++not_done_;
  partials.clear();
}

void Oracle::compute(const Operation& operation) {
  const auto at = [&](std::size_t access) -> Value& { return values_[operation.arrays[access]]; };
  switch (operation.task) {
    case TaskKind::fresh:
      return body::fresh(at(0).integers, operation.salt);
    case TaskKind::map:
      return body::map(at(0).integers, at(1).integers, operation.salt);
    case TaskKind::mix:
      return body::mix(at(0).integers, at(1).integers, at(2).integers, operation.salt);
    case TaskKind::cross:
      return body::cross(at(0).integers, at(1).integers, operation.salt);
    case TaskKind::narrow:
      return body::narrow(at(0).reals, at(1).integers, operation.salt);
    case TaskKind::widen:
      return body::widen(at(0).integers, at(1).reals, operation.salt);
    case TaskKind::scale:
      return body::scale(at(0).reals, operation.salt);
    case TaskKind::gather:
    case TaskKind::add:
      return body::gather(at(0).integers, at(1).integers, operation.salt);
    case TaskKind::extend:
      return body::extend(at(0).reals, at(1).integers, operation.salt);
  }
}

std::string difference(const Value& expected, std::span<const std::int64_t> actual) {
  return first_difference(std::span<const std::int64_t>(expected.integers), actual);
}

std::string difference(const Value& expected, std::span<const float> actual) {
  return first_difference(std::span<const float>(expected.reals), actual);
}

}  // namespace penstock::tests
