/// Two independent normal numbers of mean 0 and deviation 1 from random words, by G. E. P. Box and M. E. Muller, "A
/// note on the generation of random normal deviates", Ann. Math. Stat. 29, 1958. Logarithm, sine and cosine are made
/// here of IEEE 754 sums, products, quotients and roots, which round alike everywhere, instead of by libm, whose last
/// bits differ between versions and which compilers cannot turn into vector instructions. Pure; inlined by force, so
/// that it takes the instruction set of its caller; without branches, so that a loop over it is vectorised.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/arithmetic.hpp"

namespace penstock::kernels {

/// The word of the counters that tells these numbers from others of the same seed.
inline constexpr std::uint32_t normal_stream = 1;

/// Exactly; by way of the bits of a double, as vector units lack the conversion.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline double real_of_unsigned(std::uint64_t below_2_to_52) {
  constexpr std::uint64_t two_to_52 = 0x4330000000000000;
  return std::bit_cast<double>(two_to_52 | below_2_to_52) - 0x1p52;
}

/// The natural logarithm of a normal number, within 1 unit in the last place: the reduction and polynomial of fdlibm's
/// e_log.c (Sun Microsystems, 1993).
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline double log_of(double x) {
  constexpr std::uint64_t one = 0x3ff0000000000000;
  constexpr std::uint64_t root_of_half = 0x3fe6a09e00000000;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (one - root_of_half);
  const double k = real_of_unsigned(bits >> 52) - 1023.0;
  const double f = std::bit_cast<double>((bits & 0x000fffffffffffff) + root_of_half) - 1.0;
  const double half_square = 0.5 * f * f;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double ln2_high = 6.93147180369123816490e-01;
  const double ln2_low = 1.90821492927058770002e-10;
  return s * (half_square + (even + odd)) + k * ln2_low - half_square + f + k * ln2_high;
}

struct SineAndCosine {
  double sine;
  double cosine;
};

/// Of x from -pi/4 to pi/4, within 1 unit in the last place: the polynomials of fdlibm's k_sin.c and k_cos.c.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline SineAndCosine octant_of(double x) {
  const double z = x * x;
  const double s =
      -1.66666666666666324348e-01 +
      z * (8.33333333332248946124e-03 +
           z * (-1.98412698298579493134e-04 +
                z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))));
  const double c =
      4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 +
                                                  z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))));
  const double half = 0.5 * z;
  const double w = 1.0 - half;
  return {x + x * (z * s), w + (((1.0 - w) - half) + z * (z * c))};
}

/// Of a quarter turn `quarter` times (0 to 3) and x, from -pi/4 to pi/4, more.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline SineAndCosine turned(std::uint64_t quarter, double x) {
  const SineAndCosine octant = octant_of(x);
  const auto sine = std::bit_cast<std::uint64_t>(octant.sine);
  const auto cosine = std::bit_cast<std::uint64_t>(octant.cosine);
  const std::uint64_t swapped = (sine ^ cosine) & (0 - (quarter & 1));
  return {std::bit_cast<double>((sine ^ swapped) ^ (quarter & 2) << 62),
          std::bit_cast<double>((cosine ^ swapped) ^ ((quarter + 1) & 2) << 62)};
}

struct NormalPair {
  double first;
  double second;
};

/// `u` in (0, 1] makes the radius. The angle is `word` as a fraction of a turn and `fine`, below 1, of its last bit
/// more.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline NormalPair normal_pair(double u, std::uint32_t word, double fine) {
  constexpr double tau = 6.283185307179586;
  const std::uint32_t quarter = (word + 0x20000000) >> 30;
  const auto rest = static_cast<double>(static_cast<std::int32_t>(word - (quarter << 30)));
  const SineAndCosine angle = turned(quarter & 3, (rest + fine) * (0x1p-32 * tau));
  const double radius = std::sqrt(-2.0 * log_of(u));
  return {radius * angle.cosine, radius * angle.sine};
}

/// A pair of f32, before they are rounded.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline NormalPair normal_pair_of(std::uint32_t radius,
                                                                             std::uint32_t angle) {
  return normal_pair((real_of_unsigned(radius) + 1.0) * 0x1p-32, angle, 0.0);
}

/// A pair of f64.
[[gnu::always_inline]] PENSTOCK_HOST_DEVICE inline NormalPair normal_pair_of(std::uint32_t radius,
                                                                             std::uint32_t radius_low,
                                                                             std::uint32_t angle,
                                                                             std::uint32_t angle_low) {
  const double top = real_of_unsigned(radius) * 0x1p21 + real_of_unsigned(radius_low >> 11);
  const double fine = real_of_unsigned(angle_low >> 11) * 0x1p-21;
  return normal_pair((top + 1.0) * 0x1p-53, angle, fine);
}

}  // namespace penstock::kernels
