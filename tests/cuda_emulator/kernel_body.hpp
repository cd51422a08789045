/// How a program brings the emulator the bodies of its kernels, compiled for the host. No CUDA header is needed here.
#pragma once

#include <cstddef>

namespace penstock::emulator {

struct Extent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

/// One kernel: constant, and there for as long as the process.
struct KernelBody {
  const char* name;                   ///< mangled, as nvcc registers it
  const std::size_t* argument_bytes;  ///< of each argument
  std::size_t argument_count;
  /// Runs all threads of all blocks. Pointers to GPU memory among the arguments are such that the host can follow them.
  void (*run)(Extent blocks, Extent threads, std::size_t shared_bytes, void** arguments);
};

}  // namespace penstock::emulator

/// The emulator's, to be looked up by its name: on a GPU it is not there.
extern "C" void penstock_emulate_kernel(const penstock::emulator::KernelBody* body);

/// The emulator's too: all kernels that code made by nvcc has in this process, by their mangled names.
extern "C" void penstock_visit_emulated_kernels(void (*visit)(const char* name, bool has_body));
