/// What the ways to call a kernel's body have in common.
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <exception>
#include <span>
#include <string>

#include <boost/container/small_vector.hpp>

#include <penstock/kernel.hpp>

namespace penstock::engine {

using Views = boost::container::small_vector<ArrayView, 4>;
inline std::span<ArrayView> all(Views& views) { return {views.data(), views.size()}; }

inline std::string message_of(const char* what) {
  constexpr std::size_t message_most = 4096;
  if (*what == '\0') return "exception without a message";
  return std::string(what).substr(0, message_most);
}

/// What the body throws, as a value; lets pass only the unwinding of a thread that is being cancelled.
template <class Body>
bool fails(const Body& body, std::string& message) {
  try {
    body();
    return false;
  } catch (const std::exception& error) {
    message = message_of(error.what());
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    message = "unknown exception";
  }
  return true;
}

}  // namespace penstock::engine
