// The kernels' bodies for GPUs against those for cores, on the emulator and on a GPU.
//
// Equal bit for bit, but for which of the not-a-numbers it is: all that works by element, the numbers made of an index,
// the sum; and the greatest element, but for the sign of a zero. What cuBLAS computes stays within bounds that grow
// with the number of terms, in units of the last place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda_emulator/cuda_call.hpp"
#include "device/cuda/module_abi.hpp"
#include "kernels/random_values.hpp"
#include "kernels/table.hpp"

namespace penstock::device {
namespace {

using kernels::HostArray;
using kernels::Named;
using kernels::random_array;

constexpr std::int64_t counts[] = {0, 1, 7, 1000, 65537};

const KernelDescription& kernel(std::string_view name) {
  const auto& table = kernels::KernelTable::process();
  return table[table.at(name)];
}

/// Calls `body` with a value of each element type.
template <class Body>
void for_each_type(Body&& body) {
  body(float{});
  body(double{});
  body(std::int32_t{});
  body(std::int64_t{});
}

template <class Body>
void for_each_real_type(Body&& body) {
  body(float{});
  body(double{});
}

template <class T>
auto bits_of(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  }
  return std::bit_cast<Bits>(value);
}

/// The place of the first element that differs; -1: none does.
template <class T>
std::int64_t first_difference(HostArray& left, HostArray& right) {
  const auto a = left.as<T>();
  const auto b = right.as<T>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (bits_of(a[i]) != bits_of(b[i])) return static_cast<std::int64_t>(i);
  }
  return -1;
}

template <class T>
double greatest_difference(HostArray& left, HostArray& right) {
  double greatest = 0;
  const auto a = left.as<T>();
  const auto b = right.as<T>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= greatest)) greatest = difference;
  }
  return greatest;
}

template <class T>
double greatest_of(HostArray& array) {
  double greatest = 0;
  for (const T element : array.as<T>()) greatest = std::max(greatest, std::abs(static_cast<double>(element)));
  return greatest;
}

class CudaBodies : public testing::Test {
 protected:
  /// Random elements, and among those of reals what is not a common number.
  template <class T>
  HostArray values(const Shape& shape) {
    HostArray array = random_array<T>(shape, random_);
    if constexpr (std::is_floating_point_v<T>) {
      using Limits = std::numeric_limits<T>;
      constexpr T special[] = {Limits::quiet_NaN(),  Limits::infinity(), -Limits::infinity(), T{0}, -T{0},
                               Limits::denorm_min(), Limits::max()};
      const auto all = array.template as<T>();
      for (std::size_t i = 3; i < all.size(); i += 5) all[i] = special[random_() % std::size(special)];
    }
    return array;
  }

  /// Runs both bodies; the last array, or the first if `changes_first`, is the one that they write.
  template <class T>
  void expect_equal(const KernelDescription& of, std::vector<HostArray> arrays, const Named& named = {},
                    std::size_t written = 0) {
    std::vector<HostArray> copies = arrays;
    switch (arrays.size()) {
      case 1:
        kernels::call(of, {&arrays[0]}, named);
        gpu_.call(of, {&copies[0]}, named);
        break;
      case 2:
        kernels::call(of, {&arrays[0], &arrays[1]}, named);
        gpu_.call(of, {&copies[0], &copies[1]}, named);
        break;
      default:
        kernels::call(of, {&arrays[0], &arrays[1], &arrays[2]}, named);
        gpu_.call(of, {&copies[0], &copies[1], &copies[2]}, named);
    }
    const std::int64_t at = first_difference<T>(arrays[written], copies[written]);
    if (at < 0) return;
    const auto i = static_cast<std::size_t>(at);
    ADD_FAILURE() << of.name << " of " << arrays[written].type().shape.to_string() << ' '
                  << name_of(arrays[written].type().dtype) << ": element " << at << " is "
                  << copies[written].template as<T>()[i] << ", but " << arrays[written].template as<T>()[i]
                  << " on cores";
  }

  /// For counts of elements and each type.
  template <class Body>
  void for_each_count_and_type(Body&& body) {
    for (const std::int64_t count : counts) {
      for_each_type([&](auto type) { body(type, Shape{count}); });
    }
  }

  CudaCalls gpu_;
  std::mt19937_64 random_{17};
};

TEST_F(CudaBodies, AreThoseOfAllKernelsThatComputeButCholesky) {
  std::set<std::string_view> on_cores;
  for (const KernelDescription* const each : kernels::KernelTable::process().all()) {
    if (find_cuda_body(each->name) == nullptr) on_cores.insert(each->name);
  }

  EXPECT_THAT(on_cores, testing::ElementsAre("load", "potrf", "publish", "save", "save_part", "sleep", "spin", "then"));
  EXPECT_EQ(cuda_kernels.size() + on_cores.size(), kernels::KernelTable::process().all().size());
}

TEST_F(CudaBodies, FillAsCores) {
  for_each_count_and_type([&]<class T>(T, const Shape& shape) {
    expect_equal<T>(kernel("fill"), {values<T>(shape)}, {{"value", -7.0}});
    for (const char* const operation : {"sum", "product", "minimum", "maximum"}) {
      expect_equal<T>(kernel("neutral"), {values<T>(shape)}, {{"operation", std::string(operation)}});
    }
  });
  expect_equal<float>(kernel("fill"), {values<float>(Shape{})}, {{"value", 0.1}});
  expect_equal<double>(kernel("fill"), {values<double>(Shape{3, 0, 2})}, {{"value", 0.1}});
}

TEST_F(CudaBodies, ChangeElementsAsCores) {
  for_each_count_and_type([&]<class T>(T, const Shape& shape) {
    expect_equal<T>(kernel("increment"), {values<T>(shape)}, {{"by", 2147483647.0}});
    expect_equal<T>(kernel("scale"), {values<T>(shape)}, {{"by", -3.0}});
    expect_equal<T>(kernel("copy"), {values<T>(shape), values<T>(shape)}, {}, 1);
    expect_equal<T>(kernel("relu"), {values<T>(shape), values<T>(shape)}, {}, 1);
  });
  expect_equal<float>(kernel("increment"), {values<float>(Shape{9, 31})}, {{"by", 0.1}});
  expect_equal<double>(kernel("scale"), {values<double>(Shape{9, 31})}, {{"by", 0.1}});
}

TEST_F(CudaBodies, CombineElementsAsCores) {
  for_each_count_and_type([&]<class T>(T, const Shape& shape) {
    for (const char* const name : {"add", "mul", "relu_gradient"}) {
      expect_equal<T>(kernel(name), {values<T>(shape), values<T>(shape), values<T>(shape)}, {}, 2);
    }
    expect_equal<T>(kernel("axpy"), {values<T>(shape), values<T>(shape)}, {{"alpha", 3.0}}, 1);
    for (const char* const operation : {"sum", "product", "minimum", "maximum"}) {
      expect_equal<T>(kernel("combine"), {values<T>(shape), values<T>(shape)}, {{"operation", std::string(operation)}});
    }
  });
}

TEST_F(CudaBodies, RoundProductAndSumOfAxpyOneAfterTheOther) {
  for_each_real_type([&]<class T>(T) {
    const Shape shape{5000};
    expect_equal<T>(kernel("axpy"), {random_array<T>(shape, random_), random_array<T>(shape, random_)},
                    {{"alpha", 0.1}}, 1);
  });
}

TEST_F(CudaBodies, CountAsCores) {
  for_each_count_and_type([&]<class T>(T, const Shape& shape) {
    expect_equal<T>(kernel("iota"), {values<T>(shape)});
    expect_equal<T>(kernel("iota"), {values<T>(shape)}, {{"first", std::int64_t{5}}});
  });
  for_each_type([&]<class T>(T) {
    for (const Shape& shape : {Shape{1, 1}, Shape{3, 5}, Shape{64, 64}, Shape{130, 70}, Shape{4, 0}}) {
      for (const std::int64_t row_stride : {shape[1], std::int64_t{70}, std::int64_t{1001}}) {
        const Named place{{"first", std::int64_t{12}}, {"row_stride", row_stride}};
        expect_equal<T>(kernel("iota"), {values<T>(shape)}, place);
      }
    }
  });
  const Named far{{"first", (std::int64_t{1} << 53) + 1}};
  expect_equal<float>(kernel("iota"), {values<float>(Shape{100})}, far);
  expect_equal<double>(kernel("iota"), {values<double>(Shape{100})}, far);
}

/// What a kernel that makes random numbers makes, whole and as a block at several places.
template <class T, class Expect>
void for_each_place(const Named& named, const Expect& expect) {
  const auto with = [&](std::int64_t first, std::int64_t row_stride) {
    Named all = named;
    all.insert(all.end(), {{"first", first}, {"row_stride", row_stride}});
    return all;
  };
  for (const std::int64_t count : counts) {
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{3}}) expect(Shape{count}, with(first, 0));
  }
  // Where the upper word of the counter, which makes 16 bytes, begins to count.
  const std::int64_t carry = (std::int64_t{1} << 32) * static_cast<std::int64_t>(16 / sizeof(T));
  expect(Shape{100}, with(carry - 39, 0));
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 5}, Shape{64, 64}, Shape{130, 70}, Shape{200, 1}, Shape{4, 0}}) {
    expect(shape, with(0, 0));
    expect(shape, with(10, shape[1]));
    expect(shape, with(10, 1001));
    expect(shape, with(8, 1024));
  }
}

TEST_F(CudaBodies, MakeUniformNumbersAsCores) {
  const std::int64_t seed = -0x123456789;
  for_each_type([&]<class T>(T) {
    for_each_place<T>({{"seed", seed}, {"low", -3.0}, {"high", 1000.0}}, [&](const Shape& shape, const Named& named) {
      expect_equal<T>(kernel("uniform"), {values<T>(shape)}, named);
    });
  });
  const Shape shape{5000};
  expect_equal<float>(kernel("uniform"), {values<float>(shape)}, {{"seed", seed}});
  expect_equal<double>(kernel("uniform"), {values<double>(shape)}, {{"seed", seed}});
  expect_equal<float>(kernel("uniform"), {values<float>(shape)}, {{"seed", seed}, {"low", 1.0}, {"high", 1.000001}});
  expect_equal<std::int32_t>(kernel("uniform"), {values<std::int32_t>(shape)},
                             {{"seed", seed}, {"low", -0x1p31}, {"high", 0x1p31}});
  expect_equal<std::int64_t>(kernel("uniform"), {values<std::int64_t>(shape)},
                             {{"seed", seed}, {"low", -0x1p63}, {"high", 0x1p63}});
  expect_equal<std::int64_t>(kernel("uniform"), {values<std::int64_t>(shape)},
                             {{"seed", seed}, {"low", -0x1p62}, {"high", 0x1p61}});
}

TEST_F(CudaBodies, MakeNormalNumbersAsCores) {
  for_each_real_type([&]<class T>(T) {
    for_each_place<T>(
        {{"seed", std::int64_t{5}}, {"mean", 0.3}, {"deviation", 7.1}},
        [&](const Shape& shape, const Named& named) { expect_equal<T>(kernel("normal"), {values<T>(shape)}, named); });
  });
}

TEST_F(CudaBodies, SumInTheOrderOfCores) {
  const auto expect_sum = [&]<class T>(T, const Shape& shape) {
    expect_equal<T>(kernel("sum"), {random_array<T>(shape, random_), values<T>(Shape{})}, {}, 1);
  };
  for_each_count_and_type(expect_sum);
  // One leaf and the next one's first element, parts of lanes, whole blocks, and a power of two of leaves and one more.
  for (const std::int64_t count : {15, 16, 17, 1023, 1024, 1025, 16384, 16385, 32768, 300001, 1048577}) {
    for_each_type([&](auto type) { expect_sum(type, Shape{count}); });
  }
  expect_equal<double>(kernel("sum"), {values<double>(Shape{64}), values<double>(Shape{1})}, {}, 1);
}

TEST_F(CudaBodies, SumMoreThanBlocksWithFewLeavesCan) {
  expect_equal<float>(kernel("sum"), {random_array<float>(Shape{17'000'001}, random_), values<float>(Shape{})}, {}, 1);
}

TEST_F(CudaBodies, FindTheGreatestAsCores) {
  for_each_count_and_type([&]<class T>(T, const Shape& shape) {
    if (shape.count() == 0) return;
    HostArray x = random_array<T>(shape, random_);
    expect_equal<T>(kernel("max"), {x, values<T>(Shape{})}, {}, 1);
    x.as<T>().back() = std::numeric_limits<T>::max();
    expect_equal<T>(kernel("max"), {x, values<T>(Shape{})}, {}, 1);
    std::ranges::fill(x.as<T>(), std::numeric_limits<T>::lowest());
    expect_equal<T>(kernel("max"), {x, values<T>(Shape{1})}, {}, 1);
    if constexpr (std::is_floating_point_v<T>) {
      x.as<T>()[x.as<T>().size() / 2] = std::numeric_limits<T>::quiet_NaN();
      expect_equal<T>(kernel("max"), {x, values<T>(Shape{})}, {}, 1);
    }
  });
}

TEST_F(CudaBodies, FindNormsWithinABound) {
  for_each_real_type([&]<class T>(T) {
    for (const std::int64_t count : counts) {
      // Squares of the second would overflow, those of the third underflow.
      for (const T size : {T{1}, std::numeric_limits<T>::max() / T{4096}, std::numeric_limits<T>::min() * T{4096}}) {
        HostArray x = random_array<T>(Shape{count}, random_);
        for (T& element : x.as<T>()) element *= size;
        HostArray on_cores = values<T>(Shape{});
        HostArray on_gpu = on_cores;

        kernels::call(kernel("norm2"), {&x, &on_cores});
        gpu_.call(kernel("norm2"), {&x, &on_gpu});

        const double norm = static_cast<double>(on_cores.as<T>()[0]);
        const double terms = 8.0 + std::sqrt(static_cast<double>(count));
        EXPECT_LE(greatest_difference<T>(on_cores, on_gpu), terms * std::numeric_limits<T>::epsilon() * norm) << count;
        EXPECT_TRUE(std::isfinite(norm)) << count;
      }
    }
  });
}

const std::vector<Shape> matrix_shapes{Shape{1, 1}, Shape{3, 5}, Shape{64, 64}, Shape{130, 70}};

template <class T>
HostArray all(const Shape& shape, T value) {
  HostArray array(dtype_of<T>, shape);
  std::ranges::fill(array.as<T>(), value);
  return array;
}

struct Factors {
  double alpha;
  double beta;
};

/// The bound on what two sums of k products of numbers up to 1 differ by.
template <class T>
double bound(std::int64_t k, const Factors& factors) {
  const auto terms = static_cast<double>(k);
  return 2 * (terms + 2) * static_cast<double>(std::numeric_limits<T>::epsilon()) *
         (std::abs(factors.alpha) * terms + std::abs(factors.beta));
}

TEST_F(CudaBodies, MultiplyMatricesWithinABound) {
  for_each_real_type([&]<class T>(T) {
    for (const Shape& c_shape : matrix_shapes) {
      for (const std::int64_t k : {0, 1, 5, 67}) {
        for (const int transposes : {0, 1, 2, 3}) {
          for (const Factors factors : {Factors{1, 0}, Factors{-0.5, 2}, Factors{0, 0}, Factors{0, 3}}) {
            const bool turns_a = transposes % 2 != 0;
            const bool turns_b = transposes / 2 != 0;
            const Shape a_shape = turns_a ? Shape{k, c_shape[0]} : Shape{c_shape[0], k};
            const Shape b_shape = turns_b ? Shape{c_shape[1], k} : Shape{k, c_shape[1]};
            const T nan = std::numeric_limits<T>::quiet_NaN();
            const bool reads = factors.alpha != 0;
            HostArray a = reads ? random_array<T>(a_shape, random_) : all<T>(a_shape, nan);
            HostArray b = reads ? random_array<T>(b_shape, random_) : all<T>(b_shape, nan);
            HostArray on_cores = factors.beta != 0 ? random_array<T>(c_shape, random_) : all<T>(c_shape, nan);
            HostArray on_gpu = on_cores;
            const Named named{
                {"transpose_a", turns_a}, {"transpose_b", turns_b}, {"alpha", factors.alpha}, {"beta", factors.beta}};

            kernels::call(kernel("gemm"), {&a, &b, &on_cores}, named, 1, factors.beta != 0);
            gpu_.call(kernel("gemm"), {&a, &b, &on_gpu}, named);

            EXPECT_LE(greatest_difference<T>(on_cores, on_gpu), bound<T>(k, factors))
                << c_shape.to_string() << " of " << k << ", transposes " << transposes << ", alpha " << factors.alpha;
          }
        }
      }
    }
  });
}

TEST_F(CudaBodies, MultiplyByTheTransposeWithinABound) {
  for_each_real_type([&]<class T>(T) {
    for (const Shape& a_shape : {Shape{1, 1}, Shape{3, 5}, Shape{64, 64}, Shape{130, 70}, Shape{5, 0}, Shape{0, 5}}) {
      for (const bool transposes : {false, true}) {
        for (const bool lower : {false, true}) {
          for (const Factors factors : {Factors{1, 0}, Factors{-0.5, 2}, Factors{0, 0}, Factors{0, 3}}) {
            const std::int64_t n = a_shape[transposes ? 1 : 0];
            const T nan = std::numeric_limits<T>::quiet_NaN();
            HostArray a = factors.alpha != 0 ? random_array<T>(a_shape, random_) : all<T>(a_shape, nan);
            HostArray on_cores = factors.beta != 0 ? random_array<T>(Shape{n, n}, random_) : all<T>(Shape{n, n}, nan);
            HostArray on_gpu = on_cores;
            const Named named{
                {"transpose", transposes}, {"lower", lower}, {"alpha", factors.alpha}, {"beta", factors.beta}};

            kernels::call(kernel("syrk"), {&a, &on_cores}, named, 1, factors.beta != 0);
            gpu_.call(kernel("syrk"), {&a, &on_gpu}, named);

            EXPECT_LE(greatest_difference<T>(on_cores, on_gpu), bound<T>(a_shape[transposes ? 0 : 1], factors))
                << a_shape.to_string() << ", transposed " << transposes << ", lower " << lower << ", alpha "
                << factors.alpha << ", beta " << factors.beta;
            for (std::int64_t i = 0; i < n * n; ++i) {  // the other triangle, exactly
              const bool is_other = lower ? i % n > i / n : i % n < i / n;
              const auto at = static_cast<std::size_t>(i);
              if (is_other) {
                ASSERT_EQ(on_cores.as<T>()[at], on_gpu.as<T>()[at]) << i;
              }
            }
          }
        }
      }
    }
  });
}

/// A triangle whose inverse is not large; what must not be read is not a number.
template <class T>
HostArray triangle(std::int64_t n, bool lower, bool unit_diagonal, std::mt19937_64& random) {
  HostArray a = random_array<T>(Shape{n, n}, random);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (std::int64_t i = 0; i < n * n; ++i) {
    T& element = a.as<T>()[static_cast<std::size_t>(i)];
    const std::int64_t row = i / n;
    const std::int64_t column = i % n;
    if (row == column)
      element = unit_diagonal ? nan : T{2} + element;
    else
      element = lower == (column < row) ? element / static_cast<T>(n) : nan;
  }
  return a;
}

TEST_F(CudaBodies, SolveTriangularSystemsWithinABound) {
  for_each_real_type([&]<class T>(T) {
    for (const Shape& b_shape : matrix_shapes) {
      for (int options = 0; options < 16; ++options) {
        const bool right = (options & 1) != 0;
        const bool lower = (options & 2) != 0;
        const bool transpose = (options & 4) != 0;
        const bool unit = (options & 8) != 0;
        const std::int64_t n = b_shape[right ? 1 : 0];
        HostArray a = triangle<T>(n, lower, unit, random_);
        HostArray on_cores = random_array<T>(b_shape, random_);
        HostArray on_gpu = on_cores;
        const Named named{{"side", std::string(right ? "right" : "left")},
                          {"lower", lower},
                          {"transpose", transpose},
                          {"unit_diagonal", unit},
                          {"alpha", -0.75}};

        kernels::call(kernel("trsm"), {&a, &on_cores}, named);
        const std::string verdict = gpu_.call(kernel("trsm"), {&a, &on_gpu}, named);

        EXPECT_EQ(verdict, "");
        const double most = 8 * static_cast<double>(n + 1) * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                            (1 + greatest_of<T>(on_cores));
        EXPECT_LE(greatest_difference<T>(on_cores, on_gpu), most) << b_shape.to_string() << ", options " << options;
      }
    }
  });
}

TEST_F(CudaBodies, SolveNothingWhereThereIsNothing) {
  HostArray a = all<double>(Shape{3, 3}, 0);
  HostArray empty(DType::f64, Shape{3, 0});
  EXPECT_EQ(gpu_.call(kernel("trsm"), {&a, &empty}), "");
  HostArray no_triangle(DType::f64, Shape{0, 0});
  HostArray no_rows(DType::f64, Shape{0, 4});
  EXPECT_EQ(gpu_.call(kernel("trsm"), {&no_triangle, &no_rows}), "");

  const double nan = std::numeric_limits<double>::quiet_NaN();
  HostArray b = all<double>(Shape{3, 4}, nan);
  EXPECT_EQ(gpu_.call(kernel("trsm"), {&a, &b}, {{"alpha", 0.0}}), "");
  EXPECT_EQ(b.values<double>(), std::vector<double>(12, 0.0));
}

TEST_F(CudaBodies, SayWhereATriangleIsSingular) {
  for_each_real_type([&]<class T>(T) {
    for (const std::size_t zero : {0U, 5U, 256U, 599U}) {
      constexpr std::int64_t n = 600;
      HostArray a = triangle<T>(n, true, false, random_);
      a.as<T>()[zero * (n + 1)] = zero % 2 == 0 ? T{0} : -T{0};
      a.as<T>()[(n - 1) * (n + 1)] = T{0};
      HostArray b = random_array<T>(Shape{n, 2}, random_);
      HostArray copy = b;

      const std::string verdict = gpu_.call(kernel("trsm"), {&a, &b});

      EXPECT_EQ(verdict, kernels::error_of([&] { kernels::call(kernel("trsm"), {&a, &copy}); }));
      EXPECT_THAT(verdict, testing::HasSubstr("singular"));
    }
  });
}

TEST_F(CudaBodies, AddToDiagonalsAsCores) {
  for_each_type([&]<class T>(T) {
    for (const std::int64_t n : {0, 1, 7, 130, 600}) {
      expect_equal<T>(kernel("add_diagonal"), {values<T>(Shape{n, n})}, {{"by", 2147483647.0}});
    }
  });
}

}  // namespace
}  // namespace penstock::device
