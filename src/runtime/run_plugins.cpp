#include "runtime/run_plugins.hpp"

#include <exception>

#include "plugins/loader.hpp"

namespace penstock::runtime {

void load_plugins_of(const jobs::JobText& job) {
  for (const jobs::NamedPlugin& plugin : job.plugins()) {
    job.source().at(plugin.position, [&] { static_cast<void>(plugins::Loader::process().load(plugin.path)); });
  }
}

cluster::PluginOrder plugins_to_order() {
  cluster::PluginOrder order;
  for (const plugins::Plugin& plugin : plugins::Loader::process().loaded()) {
    order.files.push_back({.path = plugin.path.string(), .sha256 = plugin.sha256});
  }
  return order;
}

std::string load_ordered_plugins(const cluster::PluginOrder& order) {
  try {
    for (const cluster::PluginFile& file : order.files) {
      const plugins::Plugin plugin = plugins::Loader::process().load(file.path);
      if (plugin.sha256 == file.sha256) continue;
      return "plugin " + file.path + ": it is another file than on rank 0: its SHA-256 is " + plugin.sha256 +
             ", there " + file.sha256;
    }
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace penstock::runtime
