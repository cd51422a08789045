#include "plugins/loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <utility>

#include <penstock/error.hpp>
#include <penstock/plugin_abi.hpp>

#include "plugins/abi.hpp"
#include "plugins/sha256.hpp"

namespace penstock {

void load_plugin(const std::string& path) { plugins::Loader::process().load(path); }

namespace plugins {

namespace {

[[noreturn]] void refuse(const std::string& fault) { throw Error(ErrorCode::invalid_argument, fault); }

/// What dlopen() says, without the name by which it knows the file.
std::string loader_error(const std::string& name) {
  const char* const text = dlerror();
  std::string line = text == nullptr ? "unknown error" : text;
  if (line.starts_with(name + ": ")) line.erase(0, name.size() + 2);
  return line;
}

/// Maps the plugin and finds what it says of itself. Its static objects are made here; those of a plugin only make a
/// list of function pointers. From then on it stays, fit or not, and its name is taken: dlopen() would answer a second
/// use of it with the first library.
const PluginHeader& map(TrustedFile& file) {
  const std::string name = file.own_path();
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse("it cannot be loaded: " + loader_error(name));
  file.keep_open();
  const auto* const header = static_cast<const PluginHeader*>(dlsym(library, plugin_symbol));
  if (header == nullptr || !has_magic(*header)) refuse("it is no plugin of penstock: see <penstock/plugin.hpp>");
  return *header;
}

std::vector<KernelDescription> describe(const PluginHeader& header) {
  try {
    return header.describe();
  } catch (const std::exception& error) {
    refuse(std::string("it failed to describe its kernels: ") + error.what());
  } catch (...) {
    refuse("it failed to describe its kernels: it threw what is no std::exception");
  }
}

std::vector<std::string> names_of(std::span<const KernelDescription> kernels) {
  std::vector<std::string> names;
  for (const KernelDescription& kernel : kernels) names.push_back(kernel.name);
  std::ranges::sort(names);
  return names;
}

/// For a message of one line, whatever a plugin or the system put into it.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

Loader& Loader::process() {
  static Loader& loader = *new Loader(kernels::Registry::process());
  return loader;
}

Plugin Loader::load(const std::filesystem::path& path) {
  const std::filesystem::path absolute = std::filesystem::absolute(path);
  const std::lock_guard lock(mutex_);
  try {
    TrustedFile file(absolute);
    const auto found = std::ranges::find(loaded_, file.identity(), &Loaded::file);
    return found != loaded_.end() ? found->plugin : load_new(file, absolute);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, one_line("plugin " + absolute.string() + ": " + error.what()));
  }
}

Plugin Loader::load_new(TrustedFile& file, const std::filesystem::path& path) {
  if (!file.is_elf()) refuse("it is not a shared object");
  Plugin plugin{.path = path, .sha256 = sha256_of(file.descriptor()), .kernels = {}};
  const PluginHeader& header = map(file);
  if (const std::string misfit = misfit_of(header); !misfit.empty()) refuse(misfit);
  std::vector<KernelDescription> kernels = describe(header);
  plugin.kernels = names_of(kernels);
  check_names(plugin.kernels);
  registry_.add_all(std::move(kernels));
  loaded_.push_back({file.identity(), plugin});
  return plugin;
}

void Loader::check_names(std::span<const std::string> names) const {
  for (const Loaded& other : loaded_) {
    for (const std::string& name : names) {
      if (!std::ranges::binary_search(other.plugin.kernels, name)) continue;
      refuse("its kernel \"" + name + "\" is in the plugin " + other.plugin.path.string() + " already");
    }
  }
}

std::vector<Plugin> Loader::loaded() const {
  const std::lock_guard lock(mutex_);
  std::vector<Plugin> plugins;
  for (const Loaded& each : loaded_) plugins.push_back(each.plugin);
  return plugins;
}

}  // namespace plugins
}  // namespace penstock
