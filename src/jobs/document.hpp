/// The text of a job file as a TOML tree. Files are not trusted: size, nesting and encoding are checked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <toml++/toml.h>

#include "jobs/source.hpp"

namespace penstock::jobs {

/// Both throw Error (bad_job). `source` is the name for messages.
[[nodiscard]] std::string read_document(const std::filesystem::path& path, const SourceFile& source);
[[nodiscard]] toml::table parse_document(std::string_view text, const SourceFile& source);

/// Throws Error (bad_job) at `position` unless there is a regular file; never opens it.
void check_is_file(const std::filesystem::path& path, const SourceFile& source, const Position& position);

}  // namespace penstock::jobs
