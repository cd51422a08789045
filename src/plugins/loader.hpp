/// Loads plugins: checks the file, maps it, checks that it was built for this penstock, and only then calls it and adds
/// its kernels to a registry. Called before the kernel table is made, mostly by the main thread; any thread may. What
/// was loaded stays for the life of the process: kernels' code and what they throw is in it.
#pragma once

#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "kernels/registry.hpp"
#include "plugins/trusted_file.hpp"

namespace penstock::plugins {

/// A plugin that is loaded.
struct Plugin {
  std::filesystem::path path;        ///< absolute, as it was named; links in it are not followed
  std::string sha256;                ///< of the file, as `sha256sum` prints it
  std::vector<std::string> kernels;  ///< sorted
};

class Loader {
 public:
  /// Adds to `registry`, which must outlive the loader.
  explicit Loader(kernels::Registry& registry) : registry_(registry) {}

  /// The loader behind penstock::load_plugin(), for the registry of the process. Never destroyed.
  static Loader& process();

  /// A file that is loaded already, by this or another name, is left as it is. Otherwise throws Error
  /// (invalid_argument) of one line "plugin PATH: what is wrong"; the registry is then as before.
  Plugin load(const std::filesystem::path& path);

  /// In the order in which they were loaded.
  [[nodiscard]] std::vector<Plugin> loaded() const;

 private:
  struct Loaded {
    TrustedFile::Identity file;
    Plugin plugin;
  };
  Plugin load_new(TrustedFile& file, const std::filesystem::path& path);
  /// That no other plugin has a kernel of one of these names.
  void check_names(std::span<const std::string> names) const;

  kernels::Registry& registry_;
  mutable std::mutex mutex_;  ///< guards the one below, and makes loading one after the other
  std::vector<Loaded> loaded_;
};

}  // namespace penstock::plugins
