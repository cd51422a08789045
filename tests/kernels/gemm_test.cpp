#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <random>

#include "kernel_call.hpp"
#include "kernels/builtin.hpp"

namespace penstock::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;

struct Problem {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;
  bool transpose_a;
  bool transpose_b;
  double alpha;
  double beta;

  [[nodiscard]] Shape a() const { return transpose_a ? Shape{inner, rows} : Shape{rows, inner}; }
  [[nodiscard]] Shape b() const { return transpose_b ? Shape{columns, inner} : Shape{inner, columns}; }
  [[nodiscard]] Named parameters() const {
    return {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}, {"alpha", alpha}, {"beta", beta}};
  }
};

std::ostream& operator<<(std::ostream& out, const Problem& p) {
  return out << p.rows << 'x' << p.columns << 'x' << p.inner << " ta " << p.transpose_a << " tb " << p.transpose_b
             << " alpha " << p.alpha << " beta " << p.beta;
}

template <class T>
void fill_random(HostArray& array, std::mt19937& random) {
  std::uniform_real_distribution<T> numbers(-1, 1);
  for (T& element : array.as<T>()) element = numbers(random);
}

/// A problem's matrices; what c holds before is not a number where it must not be read.
template <class T>
struct Matrices {
  Matrices(const Problem& problem, std::mt19937& random)
      : a(dtype_of<T>, problem.a()), b(dtype_of<T>, problem.b()), c(dtype_of<T>, {problem.rows, problem.columns}) {
    fill_random<T>(a, random);
    fill_random<T>(b, random);
    if (problem.beta == 0.0)
      std::ranges::fill(c.as<T>(), std::numeric_limits<T>::quiet_NaN());
    else
      fill_random<T>(c, random);
  }
  HostArray a, b, c;
};

struct Sum {
  long double value = 0;
  long double magnitude = 0;  ///< of the terms: what rounding errors are relative to
};

/// One element of the result by the definition, in long double.
template <class T>
Sum element_of(const Problem& p, Matrices<T>& m, std::int64_t row, std::int64_t column) {
  const auto at = [](HostArray& array, std::int64_t i, std::int64_t j) {
    return static_cast<long double>(array.as<T>()[static_cast<std::size_t>(i * array.type().shape[1] + j)]);
  };
  Sum sum;
  for (std::int64_t k = 0; k < p.inner; ++k) {
    const auto product = static_cast<long double>(p.alpha) * (p.transpose_a ? at(m.a, k, row) : at(m.a, row, k)) *
                         (p.transpose_b ? at(m.b, column, k) : at(m.b, k, column));
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  if (p.beta == 0.0) return sum;
  const auto old = static_cast<long double>(p.beta) * at(m.c, row, column);
  return {sum.value + old, sum.magnitude + std::abs(old)};
}

/// Every element is within (k + 4) roundings of the exact one, in any number of panels: so two partitions differ by
/// twice that at most.
template <class T>
void expect_product(const Problem& problem, int panels, std::mt19937& random) {
  Matrices<T> matrices(problem, random);
  Matrices<T> result = matrices;

  call(gemm_kernel(), {&result.a, &result.b, &result.c}, problem.parameters(), panels, problem.beta != 0.0);

  for (std::int64_t row = 0; row < problem.rows; ++row) {
    for (std::int64_t column = 0; column < problem.columns; ++column) {
      const Sum sum = element_of(problem, matrices, row, column);
      const auto bound =
          static_cast<long double>(problem.inner + 4) * std::numeric_limits<T>::epsilon() * sum.magnitude;
      const auto got = result.c.template as<T>()[static_cast<std::size_t>(row * problem.columns + column)];
      ASSERT_LE(std::abs(static_cast<long double>(got) - sum.value), bound)
          << problem << ", " << panels << " panels, at [" << row << ", " << column << ']';
    }
  }
}

template <class T>
class GemmOf : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmOf, Reals);

TYPED_TEST(GemmOf, EqualsTheTripleLoopForRandomProblems) {
  std::mt19937 random(20240);
  const auto pick = [&](auto... values) {
    const std::array<double, sizeof...(values)> list{values...};
    return list[random() % list.size()];
  };
  for (int trial = 0; trial < 200; ++trial) {
    const auto extent = [&] { return static_cast<std::int64_t>(random() % (trial % 4 == 0 ? 90 : 24)); };
    const Problem problem{.rows = extent(),
                          .columns = extent(),
                          .inner = extent(),
                          .transpose_a = random() % 2 == 0,
                          .transpose_b = random() % 2 == 0,
                          .alpha = pick(0.0, 1.0, -0.5, 2.0),
                          .beta = pick(0.0, 1.0, 0.25)};
    expect_product<TypeParam>(problem, 1 + trial % 5, random);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(GemmOf, EqualsTheTripleLoopForLargeMatrices) {
  std::mt19937 random(7);
  for (const int panels : {1, 2, 3}) {
    expect_product<TypeParam>({150, 170, 190, false, true, 1.0, 0.0}, panels, random);  // by rows
    expect_product<TypeParam>({10, 400, 300, true, false, 1.0, 0.5}, panels, random);   // by columns
  }
}

TYPED_TEST(GemmOf, MultipliesByHand) {
  using T = TypeParam;
  HostArray a = HostArray::of<T>({2, 3}, {1, 2, 3, 4, 5, 6});
  HostArray b = HostArray::of<T>({3, 2}, {7, 8, 9, 10, 11, 12});
  HostArray c(dtype_of<T>, {2, 2});

  call(gemm_kernel(), {&a, &b, &c});

  EXPECT_THAT(c.values<T>(), ElementsAre(T{58}, T{64}, T{139}, T{154}));
}

TYPED_TEST(GemmOf, ScalesWhenThereIsNothingToSum) {
  using T = TypeParam;
  HostArray a(dtype_of<T>, {2, 0});
  HostArray b(dtype_of<T>, {0, 2});
  HostArray c = HostArray::of<T>({2, 2}, {1, 2, 3, 4});

  call(gemm_kernel(), {&a, &b, &c}, {{"beta", 2.0}}, 1, true);

  EXPECT_THAT(c.values<T>(), ElementsAre(T{2}, T{4}, T{6}, T{8}));
}

TYPED_TEST(GemmOf, WritesZerosWhenThereIsNothingToSumAndBetaIsZero) {
  using T = TypeParam;
  HostArray a(dtype_of<T>, {40, 0});
  HostArray b(dtype_of<T>, {0, 3});
  HostArray c(dtype_of<T>, {40, 3});
  std::ranges::fill(c.as<T>(), std::numeric_limits<T>::quiet_NaN());

  call(gemm_kernel(), {&a, &b, &c}, {}, 4);

  EXPECT_THAT(c.values<T>(), Each(T{0}));
}

TYPED_TEST(GemmOf, DoesNotReadTheFactorsWhenAlphaIsZero) {
  using T = TypeParam;
  HostArray a(dtype_of<T>, {2, 2});
  std::ranges::fill(a.as<T>(), std::numeric_limits<T>::quiet_NaN());
  HostArray c = HostArray::of<T>({2, 2}, {1, 2, 3, 4});

  call(gemm_kernel(), {&a, &a, &c}, {{"alpha", 0.0}, {"beta", 1.0}}, 1, true);

  EXPECT_THAT(c.values<T>(), ElementsAre(T{1}, T{2}, T{3}, T{4}));
}

TYPED_TEST(GemmOf, LeavesEmptyResultsAlone) {
  using T = TypeParam;
  HostArray a(dtype_of<T>, {0, 3});
  HostArray b(dtype_of<T>, {3, 5});
  HostArray c(dtype_of<T>, {0, 5});

  EXPECT_NO_THROW(call(gemm_kernel(), {&a, &b, &c}, {}, 2));
}

}  // namespace
}  // namespace penstock::kernels
