// Takes the name of a built-in kernel.
#include <penstock/plugin.hpp>

PENSTOCK_KERNEL("sample.innocent", [](penstock::InOut<float>) {})
PENSTOCK_KERNEL("gemm", [](penstock::InOut<float>) {})
