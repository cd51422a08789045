// A kernel with a name that none may have, a line break in it.
#include <penstock/plugin.hpp>

PENSTOCK_KERNEL("Sample\nKernel", [](penstock::InOut<float>) {})
