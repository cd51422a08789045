// potrf, trsm, syrk and add_diagonal, by residuals in long double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"
#include "random_values.hpp"

namespace penstock::kernels {
namespace {

/// A dense row-major matrix of long doubles.
struct Exact {
  Exact(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count), columns(column_count), values(static_cast<std::size_t>(row_count * column_count)) {}
  long double& at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  [[nodiscard]] long double at(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  std::int64_t rows;
  std::int64_t columns;
  std::vector<long double> values;
};

enum class Part : std::uint8_t { whole, lower, upper };

/// `part` of the array, zeros elsewhere; with ones on the diagonal if `unit_diagonal`.
template <class T>
Exact exact(HostArray& array, Part part = Part::whole, bool unit_diagonal = false) {
  Exact result(array.type().shape[0], array.type().shape[1]);
  for (std::int64_t i = 0; i < result.rows; ++i) {
    for (std::int64_t j = 0; j < result.columns; ++j) {
      const bool is_in = part == Part::whole || (part == Part::lower ? j <= i : j >= i);
      if (is_in) result.at(i, j) = array.as<T>()[static_cast<std::size_t>(i * result.columns + j)];
      if (i == j && unit_diagonal) result.at(i, j) = 1;
    }
  }
  return result;
}

Exact transposed(const Exact& a) {
  Exact result(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) result.at(j, i) = a.at(i, j);
  }
  return result;
}

Exact product(const Exact& a, const Exact& b) {
  Exact result(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      for (std::int64_t j = 0; j < b.columns; ++j) result.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return result;
}

long double greatest(const Exact& a) {
  long double most = 0;
  for (const long double value : a.values) most = std::max(most, std::abs(value));
  return most;
}

/// Backward stable methods leave no more than this, with the sizes of these tests.
template <class T>
long double tolerance(std::int64_t n, long double scale) {
  return static_cast<long double>(n + 10) * std::numeric_limits<T>::epsilon() * scale;
}

void expect_near(const Exact& got, const Exact& wanted, long double bound, const std::string& what) {
  ASSERT_EQ(got.values.size(), wanted.values.size());
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    ASSERT_LE(std::abs(got.values[i] - wanted.values[i]), bound) << what << ", element " << i;
  }
}

/// Random, symmetric, and by its diagonal positive definite.
template <class T>
HostArray positive_definite(std::int64_t n, std::mt19937_64& random) {
  HostArray a = random_array<T>({n, n}, random);
  const auto at = [&](std::int64_t i, std::int64_t j) -> T& { return a.as<T>()[static_cast<std::size_t>(i * n + j)]; };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) at(i, j) = at(j, i);
  }
  call(add_diagonal_kernel(), {&a}, {{"by", static_cast<double>(n)}});
  return a;
}

template <class T>
class FactorOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(FactorOf, Reals);

TYPED_TEST(FactorOf, PotrfMakesOneTriangleAndLeavesTheOther) {
  using T = TypeParam;
  std::mt19937_64 random(1);
  for (const std::int64_t n : {0, 1, 2, 3, 17, 64, 130}) {
    for (const bool lower : {true, false}) {
      HostArray a = positive_definite<T>(n, random);
      HostArray factor = a;

      call(potrf_kernel(), {&factor}, {{"lower", lower}});

      const Exact l = lower ? exact<T>(factor, Part::lower) : transposed(exact<T>(factor, Part::upper));
      expect_near(product(l, transposed(l)), exact<T>(a), tolerance<T>(n, 2.0L * static_cast<long double>(n)),
                  "n " + std::to_string(n) + " lower " + std::to_string(lower));
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const auto at = static_cast<std::size_t>(i * n + j);
          const bool is_other = lower ? j > i : j < i;
          ASSERT_TRUE(!is_other || factor.as<T>()[at] == a.as<T>()[at]) << n << ": " << i << ", " << j;
        }
      }
    }
  }
}

TYPED_TEST(FactorOf, PotrfNamesTheMinorThatIsNotPositive) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  for (const T bad : {T{-1}, T{0}, std::numeric_limits<T>::quiet_NaN()}) {
    for (const std::int64_t minor : {1, 2, 40, 100}) {
      for (const bool lower : {true, false}) {
        HostArray a = positive_definite<T>(100, random);
        a.as<T>()[static_cast<std::size_t>((minor - 1) * 101)] = bad;

        EXPECT_EQ(error_of([&] {
                    call(potrf_kernel(), {&a}, {{"lower", lower}});
                  }),
                  "a is not positive definite: the leading minor of order " + std::to_string(minor) + " is not");
      }
    }
  }
}

TYPED_TEST(FactorOf, TrsmSolvesOnEitherSide) {
  using T = TypeParam;
  std::mt19937_64 random(3);
  for (int options = 0; options < 16; ++options) {
    const bool right = (options & 1) != 0;
    const bool lower = (options & 2) != 0;
    const bool transpose = (options & 4) != 0;
    const bool unit_diagonal = (options & 8) != 0;
    for (const std::int64_t n : {1, 5, 40}) {
      // The other triangle, and a diagonal that counts as ones, must not be read.
      HostArray a(dtype_of<T>, {n, n});
      std::uniform_real_distribution<T> small(-1 / static_cast<T>(n), 1 / static_cast<T>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          T& element = a.as<T>()[static_cast<std::size_t>(i * n + j)];
          element = (lower ? j < i : j > i) ? small(random) : std::numeric_limits<T>::quiet_NaN();
          if (i == j && !unit_diagonal) element = 1 + std::abs(small(random));
        }
      }
      HostArray b = random_array<T>(right ? Shape{n + 3, n} : Shape{n, n + 3}, random);
      HostArray x = b;

      call(trsm_kernel(), {&a, &x},
           {{"side", std::string(right ? "right" : "left")},
            {"lower", lower},
            {"transpose", transpose},
            {"unit_diagonal", unit_diagonal},
            {"alpha", -0.5}});

      Exact op = exact<T>(a, lower ? Part::lower : Part::upper, unit_diagonal);
      if (transpose) op = transposed(op);
      Exact wanted = exact<T>(b);
      for (long double& value : wanted.values) value *= -0.5L;
      const Exact got = right ? product(exact<T>(x), op) : product(op, exact<T>(x));
      expect_near(got, wanted, tolerance<T>(n, 4 * greatest(exact<T>(x))), "options " + std::to_string(options));
    }
  }
}

TYPED_TEST(FactorOf, TrsmRefusesAZeroOnTheDiagonal) {
  using T = TypeParam;
  HostArray a = HostArray::of<T>({2, 2}, {1, 0, 2, 0});
  HostArray b = HostArray::of<T>({2, 1}, {1, 1});

  EXPECT_EQ(error_of([&] { call(trsm_kernel(), {&a, &b}); }), "a is singular: element [1, 1] of its diagonal is 0");
  EXPECT_EQ(error_of([&] { call(trsm_kernel(), {&a, &b}, {{"unit_diagonal", true}}); }), "");
}

TYPED_TEST(FactorOf, TrsmTakesEmptyMatrices) {
  using T = TypeParam;
  HostArray a(dtype_of<T>, {0, 0});
  HostArray b(dtype_of<T>, {0, 4});
  HostArray c = HostArray::of<T>({1, 1}, {2});
  HostArray nothing(dtype_of<T>, {1, 0});

  EXPECT_NO_THROW(call(trsm_kernel(), {&a, &b}));
  EXPECT_NO_THROW(call(trsm_kernel(), {&c, &nothing}));
}

TYPED_TEST(FactorOf, SyrkMakesOneTriangleAndZerosOrLeavesTheOther) {
  using T = TypeParam;
  std::mt19937_64 random(4);
  for (int options = 0; options < 8; ++options) {
    const bool transpose = (options & 1) != 0;
    const bool lower = (options & 2) != 0;
    const double beta = (options & 4) != 0 ? 0.5 : 0.0;
    for (const auto& [n, inner] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {7, 3}, {40, 90}, {5, 0}, {0, 3}}) {
      HostArray a = random_array<T>(transpose ? Shape{inner, n} : Shape{n, inner}, random);
      HostArray c = random_array<T>({n, n}, random);
      if (beta == 0.0) std::ranges::fill(c.as<T>(), std::numeric_limits<T>::quiet_NaN());
      HostArray result = c;

      call(syrk_kernel(), {&a, &result}, {{"transpose", transpose}, {"lower", lower}, {"alpha", 2.0}, {"beta", beta}},
           1, beta != 0.0);

      const Exact op = transpose ? transposed(exact<T>(a)) : exact<T>(a);
      Exact wanted = product(op, transposed(op));
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const long double old = beta == 0.0 ? 0.0L : c.as<T>()[static_cast<std::size_t>(i * n + j)];
          const bool is_made = lower ? j <= i : j >= i;
          wanted.at(i, j) = is_made ? 2 * wanted.at(i, j) + static_cast<long double>(beta) * old : old;
        }
      }
      expect_near(exact<T>(result), wanted, tolerance<T>(inner, 4 * static_cast<long double>(inner + 1)),
                  "options " + std::to_string(options) + " n " + std::to_string(n));
    }
  }
}

TYPED_TEST(FactorOf, TiledStepsMakeTheFactorOfTheWhole) {
  using T = TypeParam;
  constexpr std::int64_t half = 33;
  std::mt19937_64 random(5);
  HostArray a = positive_definite<T>(2 * half, random);
  const auto tile = [&](std::int64_t row, std::int64_t column) {
    HostArray part(dtype_of<T>, {half, half});
    for (std::int64_t i = 0; i < half; ++i) {
      const auto from = a.as<T>().begin() + (row + i) * 2 * half + column;
      std::copy_n(from, half, part.as<T>().begin() + i * half);
    }
    return part;
  };
  HostArray a00 = tile(0, 0);
  HostArray a10 = tile(half, 0);
  HostArray a11 = tile(half, half);

  call(potrf_kernel(), {&a00});
  call(trsm_kernel(), {&a00, &a10}, {{"side", std::string("right")}, {"transpose", true}});
  call(syrk_kernel(), {&a10, &a11}, {{"alpha", -1.0}, {"beta", 1.0}}, 1, true);
  call(potrf_kernel(), {&a11});

  call(potrf_kernel(), {&a});
  HostArray corner = tile(half, half);
  expect_near(exact<T>(a11, Part::lower), exact<T>(corner, Part::lower), tolerance<T>(2 * half, 2.0L * half), "corner");
}

TYPED_TEST(FactorOf, AddsToTheDiagonalAlone) {
  using T = TypeParam;
  HostArray a = HostArray::of<T>({2, 2}, {1, 2, 3, 4});

  call(add_diagonal_kernel(), {&a}, {{"by", -0.5}});

  EXPECT_THAT(a.values<T>(), testing::ElementsAre(T{0.5}, T{2}, T{3}, T{3.5}));
}

TEST(AddDiagonal, WrapsIntegersAround) {
  HostArray a = HostArray::of<std::int32_t>({1, 1}, {std::numeric_limits<std::int32_t>::max()});

  call(add_diagonal_kernel(), {&a}, {{"by", std::int64_t{1}}});

  EXPECT_EQ(a.as<std::int32_t>()[0], std::numeric_limits<std::int32_t>::min());
}

TEST(FactorChecks, SayWhatDoesNotFit) {
  HostArray square(DType::f32, {3, 3});
  HostArray flat(DType::f32, {3, 4});
  HostArray vector(DType::f32, {3});
  HostArray wide(DType::f64, {3, 3});
  const auto fault = [](auto&&... arguments) { return error_of([&] { call(arguments...); }); };
  const KernelDescription potrf = potrf_kernel();
  const KernelDescription trsm = trsm_kernel();
  const KernelDescription syrk = syrk_kernel();
  using Arrays = std::initializer_list<HostArray*>;

  EXPECT_EQ(fault(potrf, Arrays{&flat}), "potrf: a is [3, 4] f32, but needs to be square");
  EXPECT_EQ(fault(potrf, Arrays{&vector}), "potrf: a is [3] f32, but needs two extents");
  EXPECT_EQ(fault(add_diagonal_kernel(), Arrays{&flat}, Named{{"by", 1.0}}),
            "add_diagonal: a is [3, 4] f32, but needs to be square");
  EXPECT_EQ(fault(trsm, Arrays{&square, &wide}), "trsm: b is [3, 3] f64, but a is f32: dtypes need to be equal");
  EXPECT_EQ(fault(trsm, Arrays{&square, &flat}, Named{{"side", std::string("right")}}),
            "trsm: b is [3, 4] f32, but a, on the right, is [3, 3] f32: b needs 3 columns");
  EXPECT_EQ(fault(trsm, Arrays{&square, &flat}, Named{{"side", std::string("rigth")}}),
            "trsm: side is \"rigth\", but needs to be left or right; did you mean right?");
  EXPECT_EQ(fault(trsm, Arrays{&square, &flat}, Named{{"side", std::string("both")}}),
            "trsm: side is \"both\", but needs to be left or right");
  EXPECT_EQ(fault(syrk, Arrays{&flat, &flat}), "syrk: c is [3, 4] f32, but the product is [3, 3]");
  EXPECT_EQ(fault(syrk, Arrays{&flat, &square}, Named{{"transpose", true}}),
            "syrk: c is [3, 3] f32, but the product is [4, 4]");
  EXPECT_EQ(fault(syrk, Arrays{&flat, &square}, Named{{"beta", 1.0}}),
            "syrk: beta is 1, but c is written only: its access needs to be read_write");
  EXPECT_EQ(fault(syrk, Arrays{&flat, &square}, Named{}, 1, true),
            "syrk: c is read_write, but beta is 0: its access needs to be write, which makes the other triangle zero");
}

}  // namespace
}  // namespace penstock::kernels
