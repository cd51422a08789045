#include <mpi.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "transport/harness.hpp"
#include "transport/mpi/transport.hpp"

namespace penstock::transport::testing {

namespace {

const MpiWorld* world = nullptr;

/// Only rank 0 tells of what goes well.
class FailurePrinter : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::cerr << "rank " << world->rank() << ": " << (result.file_name() == nullptr ? "" : result.file_name()) << ":"
              << result.line_number() << ": " << result.summary() << std::endl;
  }
};

int world_ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

}  // namespace

void on_every_transport(const std::function<void(Transport&)>& body) {
  body(*make_mpi_transport(*world));
  MPI_Barrier(MPI_COMM_WORLD);
}

void on_every_rank(int /*ranks*/, const std::function<void(Peer&)>& body) {
  on_every_transport([&](Transport& transport) {
    Peer peer(transport);
    body(peer);
    peer.synchronise();
  });
}

std::uint64_t shared_seed() {
  const char* text = std::getenv("PENSTOCK_TEST_SEED");
  std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (world->rank() == 0) std::cout << "PENSTOCK_TEST_SEED=" << seed << std::endl;
  return seed;
}

INSTANTIATE_TEST_SUITE_P(Mpi, TransportContract, ::testing::Values(world_ranks()));

/// The same answer on every rank: whether any of them failed.
int run_on_this_rank(int argc, char** argv) {
  const MpiWorld own_world;
  world = &own_world;
  ::testing::InitGoogleTest(&argc, argv);
  if (own_world.rank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failed;
}

}  // namespace penstock::transport::testing

int main(int argc, char** argv) { return penstock::transport::testing::run_on_this_rank(argc, argv); }
