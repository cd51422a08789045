// sum, max and norm2: one number of a whole array, made by one core.
#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/arithmetic.hpp"
#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t leaf = 1024;

/// Element i goes to lane i modulo 16; then lane l takes lane l + 8, l + 4, ... The loops over lanes are vectorised.
template <class T>
T sum_leaf(std::span<const T> x) {
  T lane[lanes] = {};
  const std::size_t whole = x.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = plus(lane[l], x[i + l]);
  }
  for (std::size_t i = whole; i < x.size(); ++i) lane[i - whole] = plus(lane[i - whole], x[i]);
  for (std::size_t width = lanes / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) lane[l] = plus(lane[l], lane[l + width]);
  }
  return lane[0];
}

/// Halves the leaves, the first half a power of two of them (Higham, "The accuracy of floating point summation", SIAM
/// J. Sci. Comput. 14, 1993: the error grows with the logarithm of the count).
template <class T>
T sum_pairwise(std::span<const T> x) {
  if (x.size() <= leaf) return sum_leaf(x);
  const std::size_t leaves = (x.size() + leaf - 1) / leaf;
  const std::size_t half = std::bit_ceil(leaves) / 2 * leaf;
  return plus(sum_pairwise(x.first(half)), sum_pairwise(x.subspan(half)));
}

/// The greater, and what is not a number before all others.
template <class T>
T greater(T best, T element) {
  if constexpr (std::is_floating_point_v<T>) {
    return element > best || element != element ? element : best;  // NOLINT(misc-redundant-expression): NaN
  } else {
    return std::max(best, element);
  }
}

template <class T>
T max_of(std::span<const T> x) {
  T lane[lanes];
  std::ranges::fill(lane, x[0]);
  const std::size_t whole = x.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes) {
    for (std::size_t l = 0; l < lanes; ++l) lane[l] = greater(lane[l], x[i + l]);
  }
  T best = lane[0];
  for (const T element : lane) best = greater(best, element);
  for (const T element : x.subspan(whole)) best = greater(best, element);
  return best;
}

float blas_norm(std::span<const float> x) { return cblas_snrm2(static_cast<int>(x.size()), x.data(), 1); }
double blas_norm(std::span<const double> x) { return cblas_dnrm2(static_cast<int>(x.size()), x.data(), 1); }

/// BLAS' xNRM2, which neither overflows nor underflows on the way, for stretches that its int can count.
template <class T>
T norm_of(std::span<const T> x) {
  constexpr std::size_t stretch = std::size_t{1} << 24;
  if (x.size() <= stretch) return blas_norm(x);
  T norm{0};
  for (; !x.empty(); x = x.subspan(std::min(stretch, x.size()))) {
    norm = std::hypot(norm, blas_norm(x.first(std::min(stretch, x.size()))));
  }
  return norm;
}

template <class T>
std::span<const T> all_elements(const ArrayView& x) {
  return elements<const T>(x, {0, x.type.shape.count()});
}

template <class T>
T& one_element(const ArrayView& s) {
  return elements<T>(s, {0, 1})[0];
}

void run_sum(const TaskContext& context) {
  with_element_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
    one_element<T>(context.arrays[1]) = sum_pairwise(all_elements<T>(context.arrays[0]));
  });
}

void run_max(const TaskContext& context) {
  with_element_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
    one_element<T>(context.arrays[1]) = max_of(all_elements<T>(context.arrays[0]));
  });
}

void run_norm2(const TaskContext& context) {
  with_real_type(context.arrays[0].type.dtype, [&]<class T>(std::type_identity<T>) {
    one_element<T>(context.arrays[1]) = norm_of(all_elements<T>(context.arrays[0]));
  });
}

std::string check_one(Accesses accesses, Parameters) { return one_element_fault(accesses, "s"); }

std::string check_max(Accesses accesses, Parameters parameters) {
  const ArrayType& x = accesses[0].type;
  if (x.shape.count() == 0) return "x is " + to_text(x) + ", but no elements have no greatest one";
  return check_one(accesses, parameters);
}

}  // namespace

KernelDescription sum_kernel() {
  return {.name = "sum",
          .summary =
              "s (shape [] or [1]) = the sum of all elements of x, pairwise in an order that depends on their number "
              "alone, the same on every machine; reals are summed in their own dtype, integers wrap around.",
          .accesses = {reads("x"), writes("s")},
          .parameters = {},
          .cpu = run_sum,
          .check = check_one,
          .flops = flops_by_element(1)};
}

KernelDescription max_kernel() {
  return {.name = "max",
          .summary =
              "s (shape [] or [1]) = the greatest element of x, which must not be empty; not a number if one is not.",
          .accesses = {reads("x"), writes("s")},
          .parameters = {},
          .cpu = run_max,
          .check = check_max,
          .flops = flops_by_element(1)};
}

KernelDescription norm2_kernel() {
  return {.name = "norm2",
          .summary =
              "s (shape [] or [1]) = the square root of the sum of the squares of all elements of x, f32 or f64, by "
              "BLAS' nrm2: without overflow or underflow on the way.",
          .accesses = {reads("x", reals()), writes("s", reals())},
          .parameters = {},
          .cpu = run_norm2,
          .check = check_one,
          .flops = flops_by_element(2)};
}

}  // namespace penstock::kernels
