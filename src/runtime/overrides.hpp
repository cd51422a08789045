/// The values that a command line gives, for the reader of job files. Pure.
#pragma once

#include <vector>

#include "jobs/values.hpp"
#include "runtime/commands.hpp"

namespace penstock::runtime {

[[nodiscard]] inline std::vector<jobs::Override> overrides_of(const GivenValues& values) {
  std::vector<jobs::Override> overrides;
  for (const auto& [name, text] : values) overrides.push_back({.name = name, .text = text});
  return overrides;
}

}  // namespace penstock::runtime
