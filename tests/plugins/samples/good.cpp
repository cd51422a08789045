// A plugin as it should be, of two source files; the other one is more.cpp.
#include <penstock/plugin.hpp>

namespace ps = penstock;

PENSTOCK_KERNEL("sample.saxpy",
                [](ps::In<float> x, ps::InOut<float> y, double alpha) {
                  for (std::size_t i = 0; i < y.size(); ++i) y[i] += static_cast<float>(alpha) * x[i];
                },
                {.summary = "y = y + alpha * x, by element.",
                 .arguments = {"x", "y", {"alpha", "factor of x", 1}},
                 .check = [](auto x, auto y, double) { return x == y ? "" : "x and y have different shapes"; },
                 .flops = [](auto, auto y, double) { return 2 * y.count(); },
                 .bytes = [](auto, auto y, double) { return 12 * y.count(); }})

PENSTOCK_KERNEL("sample.bare", [](ps::InOut<double>, std::int64_t) {})
