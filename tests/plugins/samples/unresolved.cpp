// Needs a function that nobody has.
#include <penstock/plugin.hpp>

void sample_function_that_nobody_has();

PENSTOCK_KERNEL("sample.unresolved", [](penstock::InOut<float>) { sample_function_that_nobody_has(); })
