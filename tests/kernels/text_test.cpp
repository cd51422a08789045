#include "kernels/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace penstock::kernels {
namespace {

TEST(Text, WritesNumbersSoThatTheyReadBackTheSame) {
  EXPECT_EQ(to_text(1.0), "1");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(to_text(-1e300), "-1e+300");
}

TEST(Text, WritesParametersByType) {
  EXPECT_EQ(to_text(Parameter(true)), "true");
  EXPECT_EQ(to_text(Parameter(std::int64_t{-3})), "-3");
  EXPECT_EQ(to_text(Parameter(0.5)), "0.5");
  EXPECT_EQ(to_text(Parameter(std::string(R"(a"\b)"))), R"("a\"\\b")");
}

TEST(Nearest, FindsTheSlipOrNothing) {
  constexpr std::array<std::string_view, 4> names{"transpose_a", "transpose_b", "alpha", "by"};

  EXPECT_EQ(nearest("alhpa", names), "alpha");
  EXPECT_EQ(nearest("transposeb", names), "transpose_b");
  EXPECT_EQ(nearest("transpose", names), "transpose_a");
  EXPECT_EQ(nearest("bye", names), "by");
  EXPECT_EQ(nearest("velocity", names), "");
  EXPECT_EQ(nearest("xx", names), "");
  EXPECT_EQ(nearest("", names), "");
}

}  // namespace
}  // namespace penstock::kernels
