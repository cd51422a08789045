/// The functions that the command line calls, in place of the library's: they note what they were given.
#pragma once

#include <optional>
#include <utility>

#include "runtime/commands.hpp"

namespace penstock::cli {

struct FakeLibrary {
  std::optional<runtime::RunOptions> run;  ///< of the last run_job()
  std::optional<bool> devices_json;        ///< of the last list_devices()
  std::optional<runtime::CheckOptions> check;
  std::optional<runtime::KernelsOptions> kernels;                                ///< of the last list_kernels()
  std::optional<std::pair<std::filesystem::path, std::filesystem::path>> trace;  ///< of the last make_trace()
  std::optional<ErrorCode> error;  ///< what run_job() and check_job() throw, if anything
  int exit_code = 0;               ///< what they return otherwise
};

/// The one of this process; a test sets it to {} before it begins.
FakeLibrary& fake_library();

}  // namespace penstock::cli
