/// The place of a submission, as messages begin with it.
#pragma once

#include <string>

#include <penstock/error.hpp>

namespace penstock::core {

/// "model.cpp:31: "; empty where nobody said.
inline std::string at(const Place& place) {
  return place.line > 0 ? std::string(place.file) + ":" + std::to_string(place.line) + ": " : std::string();
}

}  // namespace penstock::core
