// An untyped kernel, for arrays of any dtype and as panels, beside the typed ones of good.cpp.
#include <algorithm>

#include <penstock/plugin.hpp>

namespace ps = penstock;

namespace {

void run_clear(const ps::TaskContext& context) {
  const ps::ArrayView& x = context.arrays[0];
  const auto bytes = static_cast<std::size_t>(x.type.bytes());
  const auto count = static_cast<std::size_t>(context.panel_count);
  const std::size_t begin = bytes * static_cast<std::size_t>(context.panel) / count;
  const std::size_t end = bytes * (static_cast<std::size_t>(context.panel) + 1) / count;
  std::fill(x.data + begin, x.data + end, std::byte{0});
}

ps::KernelDescription describe_clear() {
  ps::KernelDescription kernel;
  kernel.name = "sample.clear";
  kernel.summary = "Every element is 0.";
  kernel.accesses = {{.name = "x", .mode = ps::AccessMode::write, .dtypes = {}}};
  kernel.cpu = run_clear;
  kernel.allows_panels = true;
  return kernel;
}

}  // namespace

PENSTOCK_KERNEL_DESCRIPTION(describe_clear)
