// Options::checked: tasks that do not do what they declare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

const auto write_to_input = kernel("checked.write_to_input",
                                   [](In<I64> x, Out<I64> y) {
                                     std::ranges::copy(x, y.begin());
                                     const_cast<I64&>(x[1]) = -7;
                                   },
                                   {.arguments = {"x", "y"}});
const auto forget_last =
    kernel("checked.forget_last", [](Out<float> out) { std::ranges::fill(out.first(out.size() - 1), 1.0F); },
           {.arguments = {"out"}});

TEST(RuntimeChecked, NamesTheTaskAndTheArrayThatItOnlyReads) {
  Runtime runtime(Options{.checked = true});
  const auto x = runtime.array<I64>({2}, fill(3));
  const auto y = runtime.array<I64>({2});

  runtime.submit(write_to_input, read(x), write(y));
  const std::string place = "checked_test.cpp:" + std::to_string(__LINE__ - 1);

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(y); }).what(),
              AllOf(HasSubstr("checked.write_to_input"), HasSubstr(place),
                    HasSubstr("x is declared as read, but 1 of its 2 elements were changed, the first at [1]")));
  EXPECT_THAT(values(runtime.read(x)), Each(3));
}

TEST(RuntimeChecked, NamesTheTaskAndTheArrayThatItLeaves) {
  Runtime runtime(Options{.checked = true});
  const auto out = runtime.array<float>({2, 2});

  runtime.submit(forget_last, write(out));

  EXPECT_THAT(thrown_by<TaskError>([&] { runtime.wait(out); }).what(),
              AllOf(HasSubstr("checked.forget_last"),
                    HasSubstr("out is declared as write, but 1 of its 4 elements were never written, the first at [1, "
                              "1]")));
}

TEST(RuntimeChecked, IsNotTheDefault) {
  Runtime runtime;
  const auto out = runtime.array<float>({2});

  runtime.submit(forget_last, write(out));

  EXPECT_EQ(runtime.read(out)[0], 1.0F);
}

TEST(RuntimeChecked, LetsTasksOnSeveralCoresAndThoseThatReadAndWriteAnArrayPass) {
  Runtime runtime(Options{.workers = 2, .checked = true});
  const auto a = runtime.array<double>({40, 40}, uniform(1));
  const auto c = runtime.array<double>({40, 40});
  const auto data = runtime.array<I64>({3}, fill(21));

  runtime.submit(gemm, read(a), read(a), write(c), cores(2));
  runtime.submit(gemm, read(a), read(a), read_write(c), with("beta", 1.0), cores(3));
  runtime.submit(add_in, read_write(data), read(data));
  runtime.submit(copy, write(data), read(data));

  EXPECT_THAT(values(runtime.read(data)), Each(42));
  EXPECT_NO_THROW(runtime.wait_all());
}

}  // namespace

}  // namespace penstock::tests
