// A program that has one kernel more on the ranks that are given an argument; it must not run on ranks that differ.
#include <cstdint>
#include <cstdio>

#include <penstock/penstock.hpp>

namespace ps = penstock;

int main(int argc, char** argv) {
  if (argc > 1) {
    static_cast<void>(ps::kernel("mismatch.extra", [](ps::InOut<std::int64_t> /*x*/, std::int64_t /*by*/) {}));
  }
  return ps::run(argc, argv, [](ps::Runtime& runtime) { std::printf("runs on %d ranks\n", runtime.ranks()); });
}
