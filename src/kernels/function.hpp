/// Functions of the program as tasks: a kernel that reads an array and calls the function of a number with it. The
/// numbers are of this process: such a task runs where it was submitted.
#pragma once

#include <cstdint>
#include <functional>

#include <penstock/kernel.hpp>

namespace penstock::kernels::functions {

inline constexpr const char* kernel = "then";

/// Keeps a function until it has been called or is let go of; returns its number. Any thread, as all of these.
[[nodiscard]] std::int64_t keep(std::function<void(const ArrayView&)> function, const void* owner);
/// What nobody calls any more: all functions of this owner.
void let_go(const void* owner);
void let_go(std::int64_t number);

}  // namespace penstock::kernels::functions
