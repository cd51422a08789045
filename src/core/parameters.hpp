/// The parameters of one task as bytes: what the front-end writes once and the worker reads back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::core {

/// Appends the values to `out`.
void encode_parameters(std::span<const Parameter> parameters, std::vector<std::byte>& out);

/// Reads them back into `parameters`, whose elements are reused. False when the bytes are not such a list.
[[nodiscard]] bool decode_parameters(std::span<const std::byte> bytes, std::vector<Parameter>& parameters);

}  // namespace penstock::core
