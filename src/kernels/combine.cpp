// combine and neutral: what reductions by element are made of. Compiled without fused operations, as all that works by
// element.
#include <algorithm>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/operations.hpp"

namespace penstock::kernels {

namespace {

/// The parameter that names one of them.
ParameterDescription operation_parameter() {
  return text("operation", std::nullopt, "sum, product, minimum or maximum");
}

const std::string& operation_of(Parameters parameters) { return std::get<std::string>(parameters[0]); }

void run_combine(const TaskContext& context) {
  const ArrayView& into = context.arrays[0];
  const Interval part = own_elements(context, into);
  with_operation(operation_of(context.parameters), [&](auto operation) {
    with_element_type(into.type.dtype, [&]<class T>(std::type_identity<T>) {
      const auto x = elements<T>(into, part);
      std::ranges::transform(x, elements<const T>(context.arrays[1], part), x.begin(), operation);
    });
  });
}

void run_neutral(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  with_operation(operation_of(context.parameters), [&]<class Operation>(Operation) {
    with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
      std::ranges::fill(elements<T>(x, own_elements(context, x)), Operation::template neutral<T>);
    });
  });
}

std::string check_operation(Accesses, Parameters parameters) {
  return choice_fault("operation", operation_of(parameters), {"sum", "product", "minimum", "maximum"});
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
