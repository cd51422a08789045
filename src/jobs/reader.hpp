/// From the text of a job file to a Plan in which everything fits. Called by Job::load().
#pragma once

#include <filesystem>

#include "jobs/kernel_table.hpp"
#include "jobs/plan.hpp"
#include "jobs/table.hpp"

namespace penstock::jobs {

/// Throws Error (bad_job) for the first mistake found. Reads the headers of the input files too.
[[nodiscard]] Plan read_plan(const std::filesystem::path& path, Kernels kernels);

/// The table [data], in the order of the file. `folder` is where the job file is.
[[nodiscard]] std::vector<Family> read_families(const SourceFile& source, const toml::table& root,
                                                const std::filesystem::path& folder, Kernels kernels);

/// The tables [[task]] and [[save]], in the order of the file.
[[nodiscard]] std::vector<Entry> read_entries(const SourceFile& source, const toml::table& root,
                                              std::span<const Family> families, Kernels kernels);

}  // namespace penstock::jobs
