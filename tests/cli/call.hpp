/// Calls the command line as main() does and keeps what it printed.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/dispatch.hpp"

namespace penstock::cli {

struct Called {
  int code = -1;
  std::string out;
  std::string error;
};

inline Called call(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream error;
  const int code = dispatch(arguments, out, error);
  return {code, out.str(), error.str()};
}

}  // namespace penstock::cli
