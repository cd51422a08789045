// Kernels whose elements depend on elements of the same place alone: one pass, each panel over its own. Compiled
// without fused operations, so that axpy makes the same numbers everywhere.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/operations.hpp"

namespace penstock::kernels {

namespace {

/// out[i] = operation(left[i], right[i]) for the elements of the panel.
template <class Operation>
void combine(const TaskContext& context, const ArrayView& left, const ArrayView& right, const ArrayView& out,
             Operation operation) {
  const Interval part = own_elements(context, out);
  with_element_type(out.type.dtype, [&]<class T>(std::type_identity<T>) {
    const auto a = elements<const T>(left, part);
    const auto b = elements<const T>(right, part);
    std::transform(a.begin(), a.end(), b.begin(), elements<T>(out, part).begin(), operation);
  });
}

/// Changes the elements of the panel by `operation` and the first parameter, as a number of their type.
template <class Operation>
void change(const TaskContext& context, Operation operation) {
  const ArrayView& x = context.arrays[0];
  const double number = std::get<double>(context.parameters[0]);
  with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    const T by = static_cast<T>(number);
    for (T& element : elements<T>(x, own_elements(context, x))) element = operation(element, by);
  });
}

void run_add(const TaskContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[2], Sum());
}

void run_mul(const TaskContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[2], Product());
}

void run_increment(const TaskContext& context) { change(context, Sum()); }

void run_scale(const TaskContext& context) { change(context, Product()); }

void run_axpy(const TaskContext& context) {
  const double alpha = std::get<double>(context.parameters[0]);
  combine(context, context.arrays[0], context.arrays[1], context.arrays[1], SumWithMultiple{alpha});
}

void run_copy(const TaskContext& context) {
  const Interval part = own_elements(context, context.arrays[1]);
  with_element_type(context.arrays[1].type.dtype, [&]<class T>(std::type_identity<T>) {
    std::ranges::copy(elements<const T>(context.arrays[0], part), elements<T>(context.arrays[1], part).begin());
  });
}

void run_fill(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  const double value = std::get<double>(context.parameters[0]);
  with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    std::ranges::fill(elements<T>(x, own_elements(context, x)), static_cast<T>(value));
  });
}

void run_relu(const TaskContext& context) {
  const Interval part = own_elements(context, context.arrays[1]);
  with_element_type(context.arrays[1].type.dtype, [&]<class T>(std::type_identity<T>) {
    const auto x = elements<const T>(context.arrays[0], part);
    std::ranges::transform(x, elements<T>(context.arrays[1], part).begin(), Rectified());
  });
}

void run_relu_gradient(const TaskContext& context) {
  combine(context, context.arrays[0], context.arrays[1], context.arrays[2], GradientWherePositive());
}

std::string check_a_b_c(Accesses accesses, Parameters) { return equal_types_fault(accesses, {"a", "b", "c"}); }

std::string check_x_y(Accesses accesses, Parameters) { return equal_types_fault(accesses, {"x", "y"}); }

std::string check_x_dy_dx(Accesses accesses, Parameters) { return equal_types_fault(accesses, {"x", "dy", "dx"}); }

std::string check_by(Accesses accesses, Parameters parameters) {
  return number_fault("by", std::get<double>(parameters[0]), accesses[0].type);
}

std::string check_value(Accesses accesses, Parameters parameters) {
  return number_fault("value", std::get<double>(parameters[0]), accesses[0].type);
}

std::string check_axpy(Accesses accesses, Parameters parameters) {
  if (std::string fault = check_x_y(accesses, parameters); !fault.empty()) return fault;
  return number_fault("alpha", std::get<double>(parameters[0]), accesses[0].type);
}

}  // namespace

KernelDescription add_kernel() {
  return {.name = "add",
          .summary = "c = a + b by element, for arrays of one shape and dtype; integers wrap around.",
          .accesses = {reads("a"), reads("b"), writes("c")},
          .parameters = {},
          .cpu = run_add,
          .allows_panels = true,
          .check = check_a_b_c,
          .flops = flops_by_element(1)};
}

KernelDescription mul_kernel() {
  return {.name = "mul",
          .summary = "c = a * b by element, for arrays of one shape and dtype; integers wrap around.",
          .accesses = {reads("a"), reads("b"), writes("c")},
          .parameters = {},
          .cpu = run_mul,
          .allows_panels = true,
          .check = check_a_b_c,
          .flops = flops_by_element(1)};
}

KernelDescription increment_kernel() {
  return {.name = "increment",
          .summary = "x = x + by, by element; of integers, by is whole and in their range, and the sum wraps around.",
          .accesses = {changes("x")},
          .parameters = {real("by", 1.0, "what is added, rounded to the dtype of x")},
          .cpu = run_increment,
          .allows_panels = true,
          .check = check_by,
          .flops = flops_by_element(1)};
}

KernelDescription scale_kernel() {
  return {.name = "scale",
          .summary = "x = x * by, by element; of integers, by is whole and in their range, and the product wraps.",
          .accesses = {changes("x")},
          .parameters = {real("by", std::nullopt, "the factor, rounded to the dtype of x")},
          .cpu = run_scale,
          .allows_panels = true,
          .check = check_by,
          .flops = flops_by_element(1)};
}

KernelDescription axpy_kernel() {
  return {.name = "axpy",
          .summary =
              "y = y + alpha * x by element, for arrays of one shape and dtype; product and sum are rounded one after "
              "the other; of integers, alpha is whole and in their range, and both wrap around.",
          .accesses = {reads("x"), changes("y")},
          .parameters = {real("alpha", 1.0, "the factor of x, rounded to its dtype")},
          .cpu = run_axpy,
          .allows_panels = true,
          .check = check_axpy,
          .flops = flops_by_element(2)};
}

KernelDescription copy_kernel() {
  return {.name = "copy",
          .summary = "y = x, for arrays of one shape and dtype.",
          .accesses = {reads("x"), writes("y")},
          .parameters = {},
          .cpu = run_copy,
          .allows_panels = true,
          .check = check_x_y};
}

KernelDescription fill_kernel() {
  return {.name = "fill",
          .summary = "Every element of x is value; of integers, value is whole and in their range.",
          .accesses = {writes("x")},
          .parameters = {real("value", std::nullopt, "the value, rounded to the dtype of x")},
          .cpu = run_fill,
          .allows_panels = true,
          .check = check_value};
}

KernelDescription relu_kernel() {
  return {.name = "relu",
          .summary = "y = max(x, 0) by element, for arrays of one shape and dtype; what is not a number stays so.",
          .accesses = {reads("x"), writes("y")},
          .parameters = {},
          .cpu = run_relu,
          .allows_panels = true,
          .check = check_x_y,
          .flops = flops_by_element(1)};
}

KernelDescription relu_gradient_kernel() {
  return {.name = "relu_gradient",
          .summary = "dx = dy where x > 0, else 0, by element, for arrays of one shape and dtype.",
          .accesses = {reads("x"), reads("dy"), writes("dx")},
          .parameters = {},
          .cpu = run_relu_gradient,
          .allows_panels = true,
          .check = check_x_dy_dx,
          .flops = flops_by_element(1)};
}

}  // namespace penstock::kernels
