/// The GPUs that a benchmark runs on: those of the machine, or else some that the build tree's tests emulate. Nothing
/// of CUDA is used here: `penstock devices` is asked. Main thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace penstock::bench {

/// How fast GPUs are that are emulated; they compute on cores meanwhile, which should take them less time than that.
struct Emulation {
  int gpus = 1;
  double gflops = 0.0;  ///< of products
  double gbps = 0.0;    ///< of copies, each way
};

struct Gpus {
  std::vector<std::string> visible;                ///< each as CUDA_VISIBLE_DEVICES names it
  std::map<std::string, std::string> environment;  ///< of the programs that are to use them
  std::string label;                               ///< in front of a case: "emulated: ", or nothing
};

/// Throws Error (environment), one line, where there are neither.
[[nodiscard]] Gpus find_gpus(const Emulation& emulation);

}  // namespace penstock::bench
