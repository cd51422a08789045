/// A job file together with the files it includes. Called by JobText.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <toml++/toml.h>

#include "jobs/source.hpp"

namespace penstock::jobs {

struct Document {
  SourceFile source;
  std::string text;
  toml::table root;
  std::filesystem::path folder;  ///< absolute; what its paths are relative to
};

using Documents = std::vector<std::unique_ptr<const Document>>;

/// In the order in which they count: what a file includes, in the order of its list, then the file itself; so the job
/// file is the last one. Throws Error (bad_job): a file that is missing, not regular, no TOML, or there twice; more
/// than 16 files inside each other.
[[nodiscard]] Documents read_documents(const std::filesystem::path& path);

}  // namespace penstock::jobs
