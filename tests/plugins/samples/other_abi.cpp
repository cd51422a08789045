// A plugin of another penstock: nothing of it may be called.
#include <cstdlib>

#include <penstock/plugin_abi.hpp>

namespace {

std::vector<penstock::KernelDescription> describe() { std::abort(); }

constexpr penstock::PluginHeader header = [] {
  penstock::PluginHeader other = penstock::make_plugin_header(&describe);
  other.abi_version = 77;
  other.penstock_version = {'0', '.', '0', '.', '7', '\n', 'x'};
  return other;
}();

}  // namespace

extern "C" {
[[gnu::visibility("default")]] extern const penstock::PluginHeader penstock_plugin;
const penstock::PluginHeader penstock_plugin = header;
}
