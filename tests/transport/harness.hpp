/// How the contract tests get their ranks: threads of this process over loopback, or one process each over MPI. Each of
/// the two test programs links one of the two definitions.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "transport/peer.hpp"

namespace penstock::transport::testing {

/// The parameter is the number of ranks.
class TransportContract : public ::testing::TestWithParam<int> {};

/// Runs `body` on every rank of a new group, each in a thread or process of its own, and ends when all have ended.
void on_every_rank(int ranks, const std::function<void(Peer&)>& body);

/// Over MPI only: the same without the receiver and without the agreement at the end.
void on_every_transport(const std::function<void(Transport&)>& body);

/// From PENSTOCK_TEST_SEED, else random; the same on all ranks, and printed.
std::uint64_t shared_seed();

}  // namespace penstock::transport::testing
