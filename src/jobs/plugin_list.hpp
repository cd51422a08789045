/// The plugins that a job file names, before anything else of it is read: its kernels are known only when they are
/// loaded.
///
///     [job]
///     plugins = ["filters.so", "/opt/kernels/fft.so"]   # relative to the job file; never looked for elsewhere
#pragma once

#include <filesystem>
#include <vector>

#include "jobs/source.hpp"

namespace penstock::jobs {

struct NamedPlugin {
  std::filesystem::path path;  ///< absolute
  Position position;
};

struct PluginList {
  SourceFile source;  ///< for messages
  std::vector<NamedPlugin> plugins;
};

/// Reads the table [job] of this file and no other. Throws Error (bad_job).
[[nodiscard]] PluginList read_plugin_list(const std::filesystem::path& job);

}  // namespace penstock::jobs
