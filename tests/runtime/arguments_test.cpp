// What submit() refuses, and that the message names the line of the submit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/test_kernels.hpp"

namespace penstock::tests {

namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

const auto write_both = kernel("test.write_both", [](Out<float> /*a*/, Out<float> /*b*/) {});

class RuntimeArguments : public ::testing::Test {
 protected:
  /// The message of the invalid_argument that `call` throws.
  template <class Call>
  std::string refusal(Call&& call) {
    const auto error = thrown_by<Error>(call);
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << error.what();
    return error.what();
  }

  Runtime runtime_;
  const Array<float> square_ = runtime_.array<float>({4, 4}, ones());
  const Array<float> long_ = runtime_.array<float>({4, 5}, ones());
  const Array<double> real_ = runtime_.array<double>({4, 4}, ones());
  const Array<float> result_ = runtime_.array<float>({4, 4});
};

/// How a message begins that names a line of this file.
std::string at(int line) { return "arguments_test.cpp:" + std::to_string(line) + ": "; }

TEST_F(RuntimeArguments, OfShapesThatDoNotFitAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(gemm, read(long_), read(long_), write(result_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("gemm")));
}

TEST_F(RuntimeArguments, OfOtherTypesAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(gemm, read(square_), read(real_), write(result_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("gemm")));
}

TEST_F(RuntimeArguments, OfOtherModesAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(gemm, read(square_), read(square_), read(square_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("needs to be write")));
}

TEST_F(RuntimeArguments, TooFewAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(gemm, read(square_), write(result_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("2 arrays are given")));
}

TEST_F(RuntimeArguments, WithUnknownNamesAreRefusedWithTheNearest) {
  const std::string message = refusal([&] { runtime_.submit(increment, read_write(square_), with("bye", 2.0)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("did you mean by")));
}

TEST_F(RuntimeArguments, OfAKernelThatDoesNotExistAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(KernelName("gem"), read(square_), write(result_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("gemm")));
}

TEST_F(RuntimeArguments, WithANumberOfCoresThatIsNoneAreRefused) {
  for (const int count : {0, -1, 2000}) {
    const std::string message = refusal([&] { runtime_.submit(increment, read_write(square_), cores(count)); });
    const int line = __LINE__ - 1;

    EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("cores"), HasSubstr(std::to_string(count))));
  }
}

TEST_F(RuntimeArguments, WithCoresForAKernelOfOneCoreAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(spin, with("microseconds", 1), cores(2)); });

  EXPECT_THAT(message, HasSubstr("on one core"));
}

TEST_F(RuntimeArguments, ThatReadWhatNobodyWroteAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(add, read(square_), read(result_), write(square_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("access 2")));
  EXPECT_THAT(refusal([&] { static_cast<void>(runtime_.read(result_)); }), HasSubstr("no value"));
  EXPECT_THAT(refusal([&] { runtime_.wait(result_); }), HasSubstr("no value"));
}

TEST_F(RuntimeArguments, ThatWriteOneArrayTwiceAreRefused) {
  const std::string message = refusal([&] { runtime_.submit(write_both, write(result_), write(result_)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("writes an array")));
}

TEST_F(RuntimeArguments, ThatAreEmptyHandlesAreRefused) {
  const Array<float> nothing;

  const std::string message = refusal([&] { runtime_.submit(increment, read_write(nothing)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("empty")));
  EXPECT_THAT(refusal([&] { runtime_.wait(nothing); }), HasSubstr("empty"));
  EXPECT_THAT(refusal([&] { static_cast<void>(runtime_.read(nothing)); }), HasSubstr("empty"));
  EXPECT_THAT(refusal([&] { runtime_.save(nothing, "nothing.npy"); }), HasSubstr("empty"));
}

TEST_F(RuntimeArguments, OfAnotherRuntimeAreRefused) {
  Runtime other;
  for (int i = 0; i < 100; ++i) static_cast<void>(other.array<float>({1}));
  const auto foreign = other.array<float>({4, 4}, ones());

  const std::string message = refusal([&] { runtime_.submit(increment, read_write(foreign)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("another runtime")));
  EXPECT_THAT(refusal([&] { runtime_.wait(foreign); }), HasSubstr("another runtime"));
}

TEST_F(RuntimeArguments, OfAReadOfWhatNothingHasWrittenAreRefusedWithItsPlace) {
  const auto unwritten = runtime_.array<float>({4});

  const std::string message = refusal([&] { static_cast<void>(runtime_.read(unwritten)); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("has no value")));
  EXPECT_THAT(refusal([&] { static_cast<void>(runtime_.future(unwritten)); }), HasSubstr(at(__LINE__)));
  EXPECT_THAT(refusal([&] { static_cast<void>(runtime_.try_read(unwritten)); }), HasSubstr(at(__LINE__)));
}

TEST_F(RuntimeArguments, ThatAreRefusedChangeNothing) {
  EXPECT_THROW(runtime_.submit(increment, read_write(square_), with("bye", 1.0)), Error);

  EXPECT_THAT(values(runtime_.read(square_)), Each(1.0F));
  EXPECT_NO_THROW(runtime_.wait_all());
}

TEST_F(RuntimeArguments, OfOriginsAreChecked) {
  EXPECT_THROW(static_cast<void>(runtime_.array<float>({2}, uniform(1, 2.0, 1.0))), Error);
  EXPECT_THROW(static_cast<void>(runtime_.array<float>({2}, file(""))), Error);
  EXPECT_THROW(static_cast<void>(runtime_.array<float>({-1})), Error);
}

TEST_F(RuntimeArguments, OfTextThatIsTooLongAreRefused) {
  const auto data = runtime_.array<I64>({1});
  const std::string text(std::size_t{3} << 20, 'x');

  const std::string message = refusal([&] { runtime_.submit(fail_writing, write(data), text); });
  const int line = __LINE__ - 1;

  EXPECT_THAT(message, AllOf(HasSubstr(at(line)), HasSubstr("longer than")));
}

// A real was cut off to a whole number: the overload for int was the better match.
TEST(NamedParameters, KeepTheirTypes) {
  EXPECT_EQ(with("alpha", 2.5).value, Parameter(2.5));
  EXPECT_EQ(with("alpha", 0.5F).value, Parameter(0.5));
  EXPECT_EQ(with("seed", 7).value, Parameter(std::int64_t{7}));
  EXPECT_EQ(with("seed", std::size_t{7}).value, Parameter(std::int64_t{7}));
  EXPECT_EQ(with("lower", true).value, Parameter(true));
  EXPECT_EQ(with("side", "right").value, Parameter(std::string("right")));
}

}  // namespace

}  // namespace penstock::tests
