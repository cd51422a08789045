// uniform: element i depends on seed and i alone; uniform_scale.hpp says how.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/philox_fill.hpp"
#include "kernels/text.hpp"
#include "kernels/uniform_scale.hpp"
#include "kernels/whole.hpp"

namespace penstock::kernels {

namespace {

/// Makes the elements of blocks of counters.
template <class T>
struct Uniform {
  using Element = T;
  static constexpr std::uint32_t stream = uniform_stream;
  [[gnu::always_inline]] inline void operator()(const RandomBlock& block, T* out) const {
    const UniformScale<T> number = scale;  // a copy, which `out` cannot overlap
#pragma omp simd
    for (std::size_t l = 0; l < philox_lanes; ++l) {
      for (std::size_t w = 0; w < per_counter<T>; ++w) {
        if constexpr (sizeof(T) == sizeof(std::uint32_t))
          out[4 * l + w] = number.of(block.word[w][l]);
        else
          out[2 * l + w] = number.of(block.word[2 * w][l], block.word[2 * w + 1][l]);
      }
    }
  }
  UniformScale<T> scale;
};

void run_uniform(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  const double low = std::get<double>(context.parameters[1]);
  const double high = std::get<double>(context.parameters[2]);
  with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    make_panel(context, x, place_of(context.parameters.subspan(3)), key_of(context.parameters[0]),
               Uniform<T>{UniformScale<T>(low, high)});
  });
}

/// Whether [low, high) of elements T is neither empty nor wider than T can express.
template <class T>
bool is_range(double low, double high) {
  if constexpr (std::is_integral_v<T>) {
    return low < high;
  } else {
    const T from = static_cast<T>(low);
    const T to = static_cast<T>(high);
    return from < to && std::isfinite(to - from);
  }
}

/// What is wrong with the bounds of elements like those of `x`.
std::string bounds_fault(const ArrayType& x, double low, double high) {
  if (std::string fault = number_fault("low", low, x); !fault.empty()) return fault;
  // `high` itself is never made, so that it may be one more than the largest integer.
  const bool is_top = (x.dtype == DType::i32 && high == 0x1p31) || (x.dtype == DType::i64 && high == 0x1p63);
  if (std::string fault = number_fault("high", high, x); !is_top && !fault.empty()) return fault;
  if (!is_real(x.dtype) && low == 0.0 && high == 1.0) {
    return "x is " + to_text(x) + ", and the only whole number from 0 (low) to below 1 (high) is 0: give low and high";
  }
  const bool is_fit =
      with_element_type(x.dtype, [&]<class T>(std::type_identity<T>) { return is_range<T>(low, high); });
  if (is_fit) return {};
  return "low is " + to_text(low) + " and high is " + to_text(high) +
         ", but [low, high) needs to be a finite, not empty range of " + std::string(penstock::name_of(x.dtype));
}

std::string check_uniform(Accesses accesses, Parameters parameters) {
  const ArrayType& x = accesses[0].type;
  std::string fault = bounds_fault(x, std::get<double>(parameters[1]), std::get<double>(parameters[2]));
  return fault.empty() ? place_fault(x, place_of(parameters.subspan(3))) : fault;
}

}  // namespace

KernelDescription uniform_kernel() {
  const auto [first, row_stride] = place_parameters();
  return {
      .name = "uniform",
      .summary =
          "x = uniform numbers in [low, high) that depend on seed and row-major index alone (Philox 4x32-10, "
          "Salmon et al. 2011): reals with 24 (f32) or 53 (f64) random bits; integers between whole bounds, which "
          "must be given.",
      .accesses = {writes("x")},
      .parameters = {integer("seed", std::nullopt, "chooses the sequence; any 64 bits"),
                     real("low", 0.0, "the least number"), real("high", 1.0, "above all numbers"), first, row_stride},
      .cpu = run_uniform,
      .allows_panels = true,
      .check = check_uniform};
}

}  // namespace penstock::kernels
