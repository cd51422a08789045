// Random programs over 1, 2 and 4 ranks of one process, and without messages (0), against a serial run, bit for bit.
#include "e2e/random_program.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <penstock/error.hpp>

#include "backend/local_cluster.hpp"
#include "e2e/random_kernels.hpp"

namespace penstock::tests {

namespace {

/// The numbers by the kernel's own body, called without anything around it.
void make_uniform(std::span<float> out, I64 seed) {
  const kernels::KernelTable& table = kernels::KernelTable::process();
  const ArrayView array{.data = reinterpret_cast<std::byte*>(out.data()),
                        .type = {DType::f32, Shape{static_cast<I64>(out.size())}}};
  const std::vector<Parameter> parameters{seed, 0.0, uniform_high, I64{0}, I64{0}};
  table[table.at("uniform")].cpu({.arrays = std::span(&array, 1), .parameters = parameters});
}

class ProgramRun {
 public:
  explicit ProgramRun(LocalCluster& cluster) : cluster_(cluster), data_(places), made_(places, false) {}

  void run(const std::vector<Operation>& program) {
    for (step_ = 0; step_ < program.size(); ++step_) {
      oracle_.run(program[step_]);
      carry_out(program[step_]);
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (std::size_t place = 0; place < places; ++place) {
      oracle_.run({.kind = Operation::Kind::read, .arrays = {place}});
      look_at(place);
    }
    for (const frontend::Pinned& pinned : kept_) cluster_.frontend().unpin(pinned);
    for (const core::DataId data : data_) cluster_.frontend().release_data(data);
    cluster_.frontend().drain();
    before_ += oracle_.not_done();
  }

  [[nodiscard]] std::uint64_t not_done() const { return before_; }

 private:
  void carry_out(const Operation& operation) {
    switch (operation.kind) {
      case Operation::Kind::make:
        return make(operation.arrays[0], operation.salt);
      case Operation::Kind::task:
        return submit(operation);
      case Operation::Kind::read:
        return look_at(operation.arrays[0]);
      case Operation::Kind::keep:
        return keep(operation.arrays[0]);
      case Operation::Kind::wait:
        return wait(operation.arrays[0]);
    }
  }

  void make(std::size_t place, I64 salt) {
    if (made_[place]) cluster_.frontend().release_data(data_[place]);
    made_[place] = true;
    const bool real = place >= integer_places;
    data_[place] = cluster_.frontend().add_data({real ? DType::f32 : DType::i64, Shape{elements_at(place)}});
    const graph::Access access{data_[place], AccessMode::write};
    const std::vector<Parameter> parameters = real ? std::vector<Parameter>{salt, 0.0, uniform_high, I64{0}, I64{0}}
                                                   : std::vector<Parameter>{static_cast<double>(fill_value(salt))};
    cluster_.submit(real ? "uniform" : "fill", std::span(&access, 1), parameters);
  }

  void submit(const Operation& operation) {
    std::vector<graph::Access> accesses;
    for (std::size_t i = 0; i < operation.arrays.size(); ++i) {
      accesses.push_back({data_[operation.arrays[i]], mode(operation.task, i)});
    }
    const std::vector<Parameter> parameters{operation.salt, operation.fails};
    const bool reduces = operation.task == TaskKind::gather || operation.task == TaskKind::extend;
    const char* const by = !reduces ? nullptr : operation.task == TaskKind::gather ? "sum" : "maximum";
    cluster_.submit(kernel_name(operation.task), accesses, parameters, {}, by);
  }

  void look_at(std::size_t place) {
    const Value& expected = oracle_.at(place);
    try {
      const std::string problem =
          place < integer_places
              ? difference(expected, std::span<const I64>(cluster_.read<I64>(data_[place], elements_at(place))))
              : difference(expected, std::span<const float>(cluster_.read<float>(data_[place], elements_at(place))));
      ASSERT_FALSE(expected.spoilt) << "operation " << step_ << ": a value that could not be made is there";
      ASSERT_EQ(problem, "") << "operation " << step_;
    } catch (const TaskError& error) {
      ASSERT_TRUE(expected.spoilt) << "operation " << step_ << ": " << error.what();
    }
  }

  void keep(std::size_t place) {
    if (!oracle_.at(place).spoilt) kept_.push_back(cluster_.frontend().bring(data_[place]));
  }

  void wait(std::size_t place) {
    try {
      cluster_.frontend().wait(data_[place]);
      ASSERT_FALSE(oracle_.at(place).spoilt) << "operation " << step_;
    } catch (const TaskError& error) {
      ASSERT_TRUE(oracle_.at(place).spoilt) << "operation " << step_ << ": " << error.what();
    }
  }

  LocalCluster& cluster_;
  Oracle oracle_{make_uniform};
  std::size_t step_ = 0;
  std::vector<core::DataId> data_;
  std::vector<bool> made_;
  std::vector<frontend::Pinned> kept_;
  std::uint64_t before_ = 0;
};

class RandomProgram : public ::testing::TestWithParam<int> {
 protected:
  void run(const ClusterShape& shape, std::uint64_t first_seed, std::uint64_t seeds) {
    LocalCluster cluster(shape);
    std::uint64_t not_done = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      ProgramRun one(cluster);
      one.run(random_program(seed, {.operations = 300, .with_failures = seed % 2 == 1}));
      if (HasFatalFailure()) return;
      not_done += one.not_done();
      ASSERT_EQ(cluster.frontend().counts().not_done(), not_done);
    }
  }
};

TEST_P(RandomProgram, GivesWhatASerialRunGives) { run({.ranks = GetParam(), .cores = 2}, 1, 20); }

TEST_P(RandomProgram, GivesTheSameThroughANarrowWindow) {
  run({.ranks = GetParam(), .cores = 1, .window = {.tasks = 3, .bytes = 2000}}, 100, 10);
}

TEST_P(RandomProgram, GivesTheSameWithManyWorkers) { run({.ranks = GetParam(), .cores = 5}, 200, 10); }

TEST_P(RandomProgram, GivesTheSameInAnyOrder) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    run({.ranks = GetParam(), .cores = 2, .seed = seed}, 300 + 2 * seed, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(OnRanks, RandomProgram, ::testing::Values(0, 1, 2, 4));

}  // namespace

}  // namespace penstock::tests
