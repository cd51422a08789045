// combine and neutral: what reductions by element are made of. Compiled without fused operations, as all that works by
// element.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/arithmetic.hpp"
#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"

namespace penstock::kernels {

namespace {

/// The parameter that names one of them.
ParameterDescription operation_parameter() {
  return text("operation", std::nullopt, "sum, product, minimum or maximum");
}

/// `neutral` changes nothing when it is combined. Of reals, what is not a number stays so.
struct Sum {
  template <class T>
  static constexpr T neutral{0};
  template <class T>
  T operator()(T x, T y) const {
    return plus(x, y);
  }
};

struct Product {
  template <class T>
  static constexpr T neutral{1};
  template <class T>
  T operator()(T x, T y) const {
    return times(x, y);
  }
};

/// Of integers `finite`, of reals the infinity on that side.
template <class T>
constexpr T end_of(T finite) {
  if constexpr (std::is_integral_v<T>) return finite;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return finite > T{0} ? infinity : -infinity;
}

struct Minimum {
  template <class T>
  static constexpr T neutral = end_of(std::numeric_limits<T>::max());
  template <class T>
  T operator()(T x, T y) const {
    return y < x || y != y ? y : x;  // NOLINT(misc-redundant-expression): NaN
  }
};

struct Maximum {
  template <class T>
  static constexpr T neutral = end_of(std::numeric_limits<T>::lowest());
  template <class T>
  T operator()(T x, T y) const {
    return y > x || y != y ? y : x;  // NOLINT(misc-redundant-expression): NaN
  }
};

/// Calls `body` with the operation that the first parameter names.
template <class Body>
void with_operation(Parameters parameters, Body&& body) {
  const std::string& name = std::get<std::string>(parameters[0]);
  if (name == "sum") return body(Sum());
  if (name == "product") return body(Product());
  if (name == "minimum") return body(Minimum());
  body(Maximum());
}

void run_combine(const TaskContext& context) {
  const ArrayView& into = context.arrays[0];
  const Interval part = own_elements(context, into);
  with_operation(context.parameters, [&](auto operation) {
    with_element_type(into.type.dtype, [&]<class T>(std::type_identity<T>) {
      const auto x = elements<T>(into, part);
      std::ranges::transform(x, elements<const T>(context.arrays[1], part), x.begin(), operation);
    });
  });
}

void run_neutral(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  with_operation(context.parameters, [&]<class Operation>(Operation) {
    with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
      std::ranges::fill(elements<T>(x, own_elements(context, x)), Operation::template neutral<T>);
    });
  });
}

std::string check_operation(Accesses, Parameters parameters) {
  return choice_fault("operation", std::get<std::string>(parameters[0]), {"sum", "product", "minimum", "maximum"});
}

std::string check_combine(Accesses accesses, Parameters parameters) {
  std::string fault = check_operation(accesses, parameters);
  return fault.empty() ? equal_types_fault(accesses, {"into", "from"}) : fault;
}

}  // namespace

KernelDescription combine_kernel() {
  return {.name = "combine",
          .summary =
              "into = the sum, product, minimum or maximum of into and from, by element, for arrays of one shape and "
              "dtype; integers wrap around, and what is not a number stays so.",
          .accesses = {changes("into"), reads("from")},
          .parameters = {operation_parameter()},
          .cpu = run_combine,
          .allows_panels = true,
          .check = check_combine,
          .flops = flops_by_element(1)};
}

KernelDescription neutral_kernel() {
  return {.name = "neutral",
          .summary =
              "Every element of x is what changes nothing when it is combined: 0, 1, or the greatest or least value of "
              "the dtype, which of reals are infinite.",
          .accesses = {writes("x")},
          .parameters = {operation_parameter()},
          .cpu = run_neutral,
          .allows_panels = true,
          .check = check_operation};
}

}  // namespace penstock::kernels
