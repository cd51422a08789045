/// The plugins of a run: those that its job file names are loaded on rank 0, then on every other rank, where they must
/// be the same files. Called by the main thread, before the kernel table is made.
#pragma once

#include <string>

#include "cluster/messages.hpp"
#include "jobs/job_text.hpp"

namespace penstock::runtime {

/// Loads the plugins that the job file names. Throws Error (bad_job), one line with the place in the file.
void load_plugins_of(const jobs::JobText& job);

/// Rank 0: what the other ranks have to load, that is all that this process has.
[[nodiscard]] cluster::PluginOrder plugins_to_order();

/// Other ranks: loads what rank 0 ordered. Returns what is wrong, in one line that names the plugin; empty: nothing.
[[nodiscard]] std::string load_ordered_plugins(const cluster::PluginOrder& order);

}  // namespace penstock::runtime
