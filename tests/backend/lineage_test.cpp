#include "backend/lineage.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

#include "backend/task.hpp"
#include "core/parameters.hpp"

namespace penstock::backend {
namespace {

using cluster::OperandKind;

constexpr std::int64_t count = 4;
const ArrayType doubles{DType::f64, Shape{count}};

std::span<double> values(const ArrayView& view) { return {reinterpret_cast<double*>(view.data), count}; }

struct LineageTest : testing::Test {
  LineageTest() {
    fill.name = "fill";
    fill.cpu = [this](const TaskContext& context) {
      ++calls;
      for (double& x : values(context.arrays[0])) x = std::get<double>(context.parameters[0]);
    };
    add.name = "add";
    add.cpu = [this](const TaskContext& context) {
      ++calls;
      for (std::size_t i = 0; i < count; ++i) values(context.arrays[1])[i] += values(context.arrays[0])[i];
    };
  }

  struct Use {
    OperandKind kind;
    Storage* in;
    Storage* out;
  };
  void run(const KernelDescription& kernel, const std::vector<Use>& uses, const std::vector<Parameter>& parameters) {
    Task& task = tasks.emplace_back();
    task.kernel = &kernel;
    core::encode_parameters(parameters, task.parameters);
    for (const Use& use : uses) {
      task.places.push_back({.kind = use.kind, .data = {}, .in = use.in, .out = use.out, .reads = {}, .writes = {}});
      task.views.push_back({.data = nullptr, .type = doubles});
    }
    const auto step = lineage.remember(task);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (uses[i].out != nullptr) uses[i].out->made = {step, i};
    }
  }
  double made(const Storage& storage) {
    std::array<double, count> into{};
    make_again(storage.made, pool, {.data = reinterpret_cast<std::byte*>(into.data()), .type = doubles});
    for (const double value : into) EXPECT_EQ(value, into.front());
    return into.front();
  }

  KernelDescription fill;
  KernelDescription add;
  int calls = 0;
  memory::HostPool pool;
  Lineage lineage;
  std::deque<Task> tasks;
  Storage a, b, c;
};

TEST_F(LineageTest, MakesAgainWhatWasUpdatedInPlaceAndWhatWasCopiedBefore) {
  run(fill, {{OperandKind::write, nullptr, &a}}, {2.0});
  run(fill, {{OperandKind::write, nullptr, &b}}, {5.0});
  run(add, {{OperandKind::read, &a, nullptr}, {OperandKind::copy, &b, &c}}, {});     // c = 7
  run(add, {{OperandKind::read, &c, nullptr}, {OperandKind::consume, &b, &b}}, {});  // b = 12

  EXPECT_EQ(made(b), 12.0);
  EXPECT_EQ(calls, 4) << "the first value of b is made once";
  EXPECT_EQ(made(c), 7.0);
  EXPECT_EQ(made(a), 2.0);
  EXPECT_EQ(pool.used_bytes(), 0U);
}

TEST_F(LineageTest, DoesNotKnowWhatComesFromElsewhere) {
  run(add, {{OperandKind::read, &a, nullptr}, {OperandKind::consume, &b, &b}}, {});

  EXPECT_EQ(b.made.step, nullptr);
}

TEST_F(LineageTest, ForgetsWhatTakesTooManySteps) {
  run(fill, {{OperandKind::write, nullptr, &a}}, {1.0});
  for (int i = 0; i < 255; ++i) run(add, {{OperandKind::read, &a, nullptr}, {OperandKind::consume, &a, &a}}, {});
  EXPECT_NE(a.made.step, nullptr);

  run(add, {{OperandKind::read, &a, nullptr}, {OperandKind::consume, &a, &a}}, {});

  EXPECT_EQ(a.made.step, nullptr);
}

TEST_F(LineageTest, RemembersABoundedNumberOfSteps) {
  std::deque<Storage> storages;
  int remembered = 0;
  for (int i = 0; i < 20'000; ++i) {
    run(fill, {{OperandKind::write, nullptr, &storages.emplace_back()}}, {1.0});
    tasks.clear();
    if (storages.back().made.step != nullptr) ++remembered;
  }
  EXPECT_LT(remembered, 17'000);

  storages.clear();
  run(fill, {{OperandKind::write, nullptr, &a}}, {1.0});

  EXPECT_NE(a.made.step, nullptr) << "those that ended count still";
}

TEST_F(LineageTest, PassesOnWhatABodyThrows) {
  fill.cpu = [](const TaskContext&) { throw std::runtime_error("no"); };
  run(fill, {{OperandKind::write, nullptr, &a}}, {1.0});

  EXPECT_THROW(static_cast<void>(made(a)), std::runtime_error);
  EXPECT_EQ(pool.used_bytes(), 0U);
}

}  // namespace
}  // namespace penstock::backend
