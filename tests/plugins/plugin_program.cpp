// A program that loads its first argument, a plugin, and runs the kernel sample.other. A second argument is a plugin
// that it loads when the runtime is there, which must be refused.
#include <cstdio>

#include <penstock/penstock.hpp>

namespace ps = penstock;

int main(int argc, char** argv) {
  ps::load_plugin(argv[1]);
  return ps::run(argc, argv, [&](ps::Runtime& runtime) {
    if (argc > 2) ps::load_plugin(argv[2]);
    const auto x = runtime.array<std::int64_t>({4}, ps::iota());
    runtime.submit(ps::KernelName("sample.other"), ps::read_write(x));
    const auto view = runtime.read(x);
    std::printf("%lld\n", static_cast<long long>(view[3]));
  });
}
