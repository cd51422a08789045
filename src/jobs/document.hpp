/// The text of a job file as a TOML tree. Files are not trusted: size, nesting and encoding are checked.
#pragma once

#include <filesystem>

#include <toml++/toml.h>

#include "jobs/source.hpp"

namespace penstock::jobs {

/// Reads and parses `path`; `source` is its name for messages. Throws Error (bad_job).
[[nodiscard]] toml::table read_document(const std::filesystem::path& path, const SourceFile& source);

/// Throws Error (bad_job) at `position` unless there is a regular file; never opens it.
void check_is_file(const std::filesystem::path& path, const SourceFile& source, const Position& position);

}  // namespace penstock::jobs
