// Tasks on several cores whose kernels use OpenMP, on several ranks and on one.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <penstock/error.hpp>

#include "backend/local_cluster.hpp"
#include "core/parameters.hpp"
#include "kernels/table.hpp"

namespace penstock::tests {
namespace {

constexpr std::int64_t elements = 1000;

/// Adds one to each element, or throws when the team has another number of threads than it was told.
void add_with_team(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  auto* const values = reinterpret_cast<std::int64_t*>(x.data);
  const std::int64_t count = x.type.shape.count();
  if (omp_get_max_threads() != std::get<std::int64_t>(context.parameters[0]))
    throw std::runtime_error(std::to_string(omp_get_max_threads()) + " threads");
#pragma omp parallel for
  for (std::int64_t i = 0; i < count; ++i) ++values[i];
}

bool register_add_with_team() {
  KernelDescription kernel;
  kernel.name = "test.add_with_team";
  kernel.accesses = {{.name = "x", .mode = AccessMode::read_write, .dtypes = {DType::i64}}};
  kernel.parameters = {{.name = "threads", .type = ParameterType::integer, .default_value = {}, .meaning = "expected"}};
  kernel.cpu = add_with_team;
  kernel.uses_openmp = true;
  register_kernel(std::move(kernel));
  return true;
}
const bool registered = register_add_with_team();

void submit_team(LocalCluster& cluster, core::DataId data, int cores, std::int64_t threads) {
  const graph::Access access{data, AccessMode::read_write};
  const Parameter parameter = threads;
  std::vector<std::byte> encoded;
  core::encode_parameters({&parameter, 1}, encoded);
  cluster.frontend().submit({.kernel = kernels::KernelTable::process().at("test.add_with_team"),
                             .cores = static_cast<std::uint16_t>(cores),
                             .accesses = {&access, 1},
                             .parameters = encoded,
                             .place = {}});
}

core::DataId zeros(LocalCluster& cluster) {
  const core::DataId data = cluster.frontend().add_data({DType::i64, Shape{elements}});
  const graph::Access access{data, AccessMode::write};
  const Parameter zero = 0.0;
  cluster.submit("fill", {&access, 1}, {&zero, 1});
  return data;
}

/// Zero ranks: one, without messages.
TEST(GuestTasks, RunBesidePanelsAndSingleTasksOnEveryRank) {
  constexpr int rounds = 200;
  for (const int ranks : {0, 1, 2}) {
    LocalCluster cluster({.ranks = ranks, .cores = 4});
    std::array<core::DataId, 6> data{};
    for (core::DataId& each : data) each = zeros(cluster);
    const Parameter one = 1.0;

    for (int i = 0; i < rounds; ++i) {
      for (std::size_t j = 0; j < data.size(); ++j) {
        const graph::Access access{data[j], AccessMode::read_write};
        const int cores = 1 + (i + static_cast<int>(j)) % 6;
        submit_team(cluster, data[j], cores, std::min(cores, 4));
        cluster.submit("increment", {&access, 1}, {&one, 1});
      }
    }

    for (const core::DataId each : data) {
      EXPECT_EQ(cluster.read<std::int64_t>(each, elements), std::vector<std::int64_t>(elements, 2 * rounds)) << ranks;
    }
  }
}

TEST(GuestTasks, FailAsOneTask) {
  for (const int ranks : {0, 2}) {
    LocalCluster cluster({.ranks = ranks, .cores = 4});
    const core::DataId data = zeros(cluster);
    submit_team(cluster, data, 3, 7);

    try {
      static_cast<void>(cluster.read<std::int64_t>(data, elements));
      ADD_FAILURE() << "it did not fail";
    } catch (const TaskError& error) {
      EXPECT_NE(std::string(error.what()).find("3 threads"), std::string::npos) << error.what();
      EXPECT_EQ(error.failed_tasks(), 1U);
    }
  }
}

}  // namespace
}  // namespace penstock::tests
