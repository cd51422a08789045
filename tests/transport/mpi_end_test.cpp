/// How an MPI transport ends with something under way. Every rank runs each case.
#include <chrono>
#include <vector>

#include "transport/harness.hpp"
#include "transport/mpi/transport.hpp"

namespace penstock::transport::testing {

namespace {

using namespace std::chrono_literals;

TEST_P(TransportContract, EndsAtOnceWithReceivesThatNobodySendsTo) {
  // Lives longer than the transport, as the contract asks.
  Bytes in(20'000'000);
  std::chrono::steady_clock::time_point begin;

  on_every_transport([&](Transport& transport) {
    for (int from = 0; from < transport.ranks(); ++from) transport.receive_bulk(core::RankId{from}, 1, in);
    begin = std::chrono::steady_clock::now();
  });

  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST_P(TransportContract, EndsInBoundedTimeWithSendsThatNobodyReceives) {
  const Bytes out(20'000'000);
  std::chrono::steady_clock::time_point begin;

  on_every_transport([&](Transport& transport) {
    const core::RankId next{(transport.rank().value() + 1) % transport.ranks()};
    transport.send_bulk(next, 1, out);
    transport.send(next, std::span(out).first(max_message_bytes));
    begin = std::chrono::steady_clock::now();
  });

  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

}  // namespace

}  // namespace penstock::transport::testing
