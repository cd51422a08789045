// A plugin as a user would write it.
#include <penstock/plugin.hpp>

PENSTOCK_KERNEL("consumer.triple",
                [](penstock::InOut<float> x, double factor) {
                  for (float& value : x) value *= static_cast<float>(factor);
                },
                {.summary = "x = factor * x.", .arguments = {"x", {"factor", "of x", 3.0}}})
