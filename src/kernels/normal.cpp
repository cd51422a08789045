// normal: element i depends on seed and i alone. A counter makes one pair of f64, or two pairs of f32: the first half
// of a pair's words the radius, with u the 53 (f64) or 32 (f32) top bits as a fraction in (0, 1], the second half the
// angle. The numbers of f32 are those of two words each, computed as doubles and rounded once.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/normal_pair.hpp"
#include "kernels/philox_fill.hpp"
#include "kernels/text.hpp"
#include "kernels/whole.hpp"

namespace penstock::kernels {

namespace {

/// No number is further from the mean: the radius of the least u, 2^-53, is 8.58.
constexpr double deviations_max = 9.0;

template <class T>
struct Bell {
  using Element = T;
  static constexpr std::uint32_t stream = normal_stream;
  void operator()(const RandomBlock& block, T* out) const;
  double mean;
  double deviation;
};

template <>
[[gnu::always_inline]] inline void Bell<double>::operator()(const RandomBlock& block, double* out) const {
  const Bell bell = *this;  // a copy, which `out` cannot overlap
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    const NormalPair pair = normal_pair_of(block.word[0][l], block.word[1][l], block.word[2][l], block.word[3][l]);
    out[2 * l] = bell.mean + bell.deviation * pair.first;
    out[2 * l + 1] = bell.mean + bell.deviation * pair.second;
  }
}

template <>
[[gnu::always_inline]] inline void Bell<float>::operator()(const RandomBlock& block, float* out) const {
  const Bell bell = *this;
#pragma omp simd
  for (std::size_t l = 0; l < philox_lanes; ++l) {
    for (std::size_t w = 0; w < 4; w += 2) {
      const NormalPair pair = normal_pair_of(block.word[w][l], block.word[w + 1][l]);
      out[4 * l + w] = static_cast<float>(bell.mean + bell.deviation * pair.first);
      out[4 * l + w + 1] = static_cast<float>(bell.mean + bell.deviation * pair.second);
    }
  }
}

void run_normal(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  const double mean = std::get<double>(context.parameters[1]);
  const double deviation = std::get<double>(context.parameters[2]);
  with_real_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    make_panel(context, x, place_of(context.parameters.subspan(3)), key_of(context.parameters[0]),
               Bell<T>{mean, deviation});
  });
}

std::string check_normal(Accesses accesses, Parameters parameters) {
  const ArrayType& x = accesses[0].type;
  const double mean = std::get<double>(parameters[1]);
  const double deviation = std::get<double>(parameters[2]);
  const double most = x.dtype == DType::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                                            : std::numeric_limits<double>::max();
  if (!(deviation >= 0.0)) return "deviation is " + to_text(deviation) + ", but needs to be 0 or more";
  if (!(std::abs(mean) + deviations_max * deviation <= most)) {
    return "mean is " + to_text(mean) + " and deviation is " + to_text(deviation) +
           ", but the numbers would not be in the range of " + std::string(penstock::name_of(x.dtype));
  }
  return place_fault(x, place_of(parameters.subspan(3)));
}

}  // namespace

KernelDescription normal_kernel() {
  const auto [first, row_stride] = place_parameters();
  return {.name = "normal",
          .summary =
              "x = normal numbers, f32 or f64, that depend on seed and row-major index alone (Philox 4x32-10 and Box "
              "and Muller's method), within 6.7 (f32) or 8.6 (f64) deviations of the mean; f32 is made as f64 and "
              "rounded once. Bit for bit the same on every processor; a device with a logarithm, sine and cosine of "
              "its own stays within 8 units in the last place of f64 of a number's distance from the mean, before "
              "the mean is added.",
          .accesses = {writes("x", reals())},
          .parameters = {integer("seed", std::nullopt, "chooses the sequence; any 64 bits"),
                         real("mean", 0.0, "the mean of the numbers"),
                         real("deviation", 1.0, "their standard deviation, 0 or more"), first, row_stride},
          .cpu = run_normal,
          .allows_panels = true,
          .check = check_normal};
}

}  // namespace penstock::kernels
