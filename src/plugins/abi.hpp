/// Whether what a plugin says of itself fits this build. Pure; any thread.
#pragma once

#include <string>

#include <penstock/plugin_abi.hpp>

namespace penstock::plugins {

/// Whether this is a header of a plugin at all.
[[nodiscard]] bool has_magic(const PluginHeader& header);

/// What does not fit, in one line with both versions; empty: all does. Looks at plain data only.
[[nodiscard]] std::string misfit_of(const PluginHeader& header);

}  // namespace penstock::plugins
