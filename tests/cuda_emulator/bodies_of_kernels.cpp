// Loads the CUDA module and exits with 0 if the emulator has a body of each of its kernels; a missing one would show
// only when it is launched.
//
//     bodies_of_kernels MODULE
#include <dlfcn.h>

#include <cstdio>

#include "cuda_emulator/kernel_body.hpp"

namespace {

int kernels = 0;
int missing = 0;

void count(const char* name, bool has_body) {
  ++kernels;
  if (has_body) return;
  ++missing;
  std::fprintf(stderr, "no body of %s\n", name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fprintf(stderr, "the module cannot be loaded: %s\n", argc == 2 ? dlerror() : "none is given");
    return 2;
  }
  const auto visit = reinterpret_cast<decltype(&penstock_visit_emulated_kernels)>(
      dlsym(RTLD_DEFAULT, "penstock_visit_emulated_kernels"));
  if (visit == nullptr) {
    std::fputs("this CUDA is not emulated\n", stderr);
    return 2;
  }
  visit(count);
  std::printf("%d kernels, %d without a body\n", kernels, missing);
  return kernels > 0 && missing == 0 ? 0 : 1;
}
