// Has a kernel of good.cpp again, and one that nobody else has.
#include <penstock/plugin.hpp>

PENSTOCK_KERNEL("sample.only-here", [](penstock::InOut<float>) {})
PENSTOCK_KERNEL("sample.saxpy", [](penstock::InOut<float>) {})
