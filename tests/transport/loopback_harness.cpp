#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>
#include <vector>

#include "transport/harness.hpp"
#include "transport/loopback/loopback.hpp"

namespace penstock::transport::testing {

void on_every_rank(int ranks, const std::function<void(Peer&)>& body) {
  const auto group = make_loopback(ranks);
  std::vector<std::jthread> threads;
  for (const auto& transport : group) {
    threads.emplace_back([&body, &transport] {
      Peer peer(*transport);
      body(peer);
      peer.synchronise();
    });
  }
}

std::uint64_t shared_seed() {
  const char* text = std::getenv("PENSTOCK_TEST_SEED");
  const std::uint64_t seed = text != nullptr ? std::strtoull(text, nullptr, 10) : std::random_device{}();
  std::cout << "PENSTOCK_TEST_SEED=" << seed << std::endl;
  return seed;
}

INSTANTIATE_TEST_SUITE_P(Loopback, TransportContract, ::testing::Values(1, 2, 3, 4));

}  // namespace penstock::transport::testing
