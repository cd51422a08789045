/// How a kernel's body for cores is called, and how what it throws becomes a value: a task's failure is an outcome.
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <penstock/error.hpp>
#include <penstock/kernel.hpp>

namespace penstock::executor {

/// Which part of a task a call of its body makes.
struct Part {
  int panel = 0;
  int panel_count = 1;
};

/// Throws what the body throws; Error (invalid_argument) when there is none.
inline void call_body(const KernelDescription& kernel, std::span<const ArrayView> arrays,
                      std::span<const Parameter> parameters, Part part) {
  if (!kernel.cpu) throw Error(ErrorCode::invalid_argument, "kernel " + kernel.name + " has no body for cores");
  kernel.cpu({.arrays = arrays, .parameters = parameters, .panel = part.panel, .panel_count = part.panel_count});
}
/// The same with encoded parameters, which are decoded into `scratch`, whose memory is used again. Throws Error
/// (invalid_argument) when they are damaged, too.
void call_body(const KernelDescription& kernel, std::span<const ArrayView> arrays,
               std::span<const std::byte> parameters, Part part, std::vector<Parameter>& scratch);

/// What an exception says; of what is long, the beginning and the end, where the first cause is.
[[nodiscard]] std::string message_of(const char* what);

/// Whether the call throws, and what, as a value; lets pass only the unwinding of a thread that is being cancelled: the
/// C library aborts the process when that is swallowed.
template <class Call>
[[nodiscard]] bool fails(const Call& call, std::string& message) {
  try {
    call();
    return false;
  } catch (const std::exception& error) {
    message = message_of(error.what());
  } catch (const std::string& text) {
    message = message_of(text.c_str());
  } catch (const char* text) {
    message = message_of(text);
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    message = "unknown exception";
  }
  return true;
}

}  // namespace penstock::executor
