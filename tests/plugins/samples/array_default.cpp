// Gives an array a default.
#include <penstock/plugin.hpp>

PENSTOCK_KERNEL("sample.odd", [](penstock::InOut<float>) {}, {.arguments = {{"x", "an array", 1.0}}})
