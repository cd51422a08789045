#include "schedule/cost_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace penstock::schedule {
namespace {

using core::KernelId;

constexpr KernelId gemm{0};
constexpr KernelId potrf{1};
constexpr Workload some{.footprint = 9, .amount = 1000};

CostModel two_kernels() { return CostModel({"gemm", "potrf"}); }

CostEntry entry(std::string kernel, std::string kind, double mean_ns, std::uint32_t samples = 5) {
  return {.kernel = std::move(kernel), .kind = std::move(kind), .work = some, .mean_ns = mean_ns, .samples = samples};
}

TEST(CostModel, NamesAKindOnce) {
  CostModel model = two_kernels();
  const KindId cpu = model.kind("cpu");
  const KindId gpu = model.kind("NVIDIA H200");

  EXPECT_NE(cpu, gpu);
  EXPECT_EQ(model.kind("cpu"), cpu);
  EXPECT_EQ(model.kind("NVIDIA H200"), gpu);
}

TEST(CostModel, DoesNotLearnTheFirstTaskOfAKernelOnAKind) {
  CostModel model = two_kernels();
  const KindId cpu = model.kind("cpu");

  model.learn(gemm, cpu, some, 90'000);
  const auto after_first = model.predict_ns(gemm, cpu, some);
  model.learn(gemm, cpu, some, 1000);

  EXPECT_EQ(after_first, std::nullopt);
  EXPECT_DOUBLE_EQ(model.predict_ns(gemm, cpu, some).value(), 1000);
}

TEST(CostModel, KeepsKernelsAndKindsApart) {
  CostModel model = two_kernels();
  const KindId cpu = model.kind("cpu");
  const KindId gpu = model.kind("gpu");
  for (int i = 0; i < 2; ++i) {
    model.learn(gemm, cpu, some, 1);
    model.learn(gemm, gpu, some, 2);
    model.learn(potrf, gpu, some, 3);
  }

  EXPECT_EQ(model.predict_ns(gemm, cpu, some), 1.0);
  EXPECT_EQ(model.predict_ns(gemm, gpu, some), 2.0);
  EXPECT_EQ(model.predict_ns(potrf, gpu, some), 3.0);
  EXPECT_EQ(model.predict_ns(potrf, cpu, some), std::nullopt);
}

TEST(CostModel, CountsTrialsOfAKernelOnAKind) {
  CostModel model = two_kernels();
  const KindId cpu = model.kind("cpu");
  const KindId gpu = model.kind("gpu");

  model.placed(gemm, gpu, some);

  EXPECT_EQ(model.trials_left(gemm, gpu, some), CostHistory::trials - 1);
  EXPECT_EQ(model.trials_left(gemm, cpu, some), CostHistory::trials);
  EXPECT_EQ(model.trials_left(potrf, gpu, some), CostHistory::trials);
}

TEST(CostModel, TakesATimeThatTheClockCannotTellForTheShortest) {
  CostModel model = two_kernels();
  const KindId cpu = model.kind("cpu");

  model.learn(gemm, cpu, some, 0);
  model.learn(gemm, cpu, some, 0);

  EXPECT_DOUBLE_EQ(model.predict_ns(gemm, cpu, some).value(), 1);
}

TEST(CostModel, HandsOnWhatItKnows) {
  CostModel model = two_kernels();
  const KindId gpu = model.kind("gpu");
  for (int i = 0; i < 4; ++i) model.learn(potrf, gpu, some, 700);

  const auto entries = model.entries();
  CostModel next({"axpy", "potrf"});
  const KindId its_gpu = next.kind("gpu");
  next.recall(entries);

  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kernel, "potrf");
  EXPECT_EQ(entries[0].kind, "gpu");
  EXPECT_EQ(entries[0].samples, 3u);
  EXPECT_DOUBLE_EQ(next.predict_ns(KernelId(1), its_gpu, some).value(), 700);
  EXPECT_EQ(next.predict_ns(KernelId(0), its_gpu, some), std::nullopt);
  EXPECT_EQ(next.trials_left(KernelId(1), its_gpu, some), 0);
}

TEST(CostModel, DropsWhatItCannotRecall) {
  CostModel model = two_kernels();
  const KindId cpu = model.kind("cpu");

  model.recall(std::array{entry("unknown", "cpu", 5), entry("gemm", "another GPU", 5), entry("gemm", "cpu", 0),
                          entry("gemm", "cpu", -1), entry("gemm", "cpu", std::numeric_limits<double>::infinity()),
                          entry("gemm", "cpu", std::numeric_limits<double>::quiet_NaN()), entry("gemm", "cpu", 5, 0)});

  EXPECT_TRUE(model.entries().empty());
  EXPECT_EQ(model.trials_left(gemm, cpu, some), CostHistory::trials);
}

// --- workload_of ---

Workload of(std::initializer_list<ArrayType> arrays, std::initializer_list<std::byte> parameters = {}, int cores = 1) {
  return workload_of(std::vector(arrays), std::vector(parameters), cores, 100.0);
}

TEST(WorkloadOf, HasTheAmountAndOneFootprintForOneTask) {
  const ArrayType square{.dtype = DType::f32, .shape = {8, 8}};

  EXPECT_DOUBLE_EQ(of({square}).amount, 100.0);
  EXPECT_EQ(of({square}, {std::byte{1}}).footprint, of({square}, {std::byte{1}}).footprint);
}

TEST(WorkloadOf, TellsTasksApartThatMayTakeOtherTimes) {
  const ArrayType square{.dtype = DType::f32, .shape = {8, 8}};
  const std::vector<Workload> all{of({}),
                                  of({square}),
                                  of({square, square}),
                                  of({{.dtype = DType::i32, .shape = {8, 8}}}),
                                  of({{.dtype = DType::f32, .shape = {64}}}),
                                  of({{.dtype = DType::f32, .shape = {8, 4}}}),
                                  of({square}, {std::byte{0}}),
                                  of({square}, {std::byte{0}, std::byte{0}}),
                                  of({square}, {std::byte{1}}),
                                  of({square}, {}, 2)};

  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i].footprint, all[j].footprint) << i << " and " << j;
  }
}

}  // namespace
}  // namespace penstock::schedule
