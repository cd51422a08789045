// One kernel. Built twice: under another name, and so that the file differs while the kernels are the same.
#include <penstock/plugin.hpp>

#ifdef PENSTOCK_SAMPLE_DIFFERS
constexpr std::int64_t added = 2;
#else
constexpr std::int64_t added = 1;
#endif

PENSTOCK_KERNEL("sample.other", [](penstock::InOut<std::int64_t> x) {
  for (std::int64_t& value : x) value += added;
})
