/// What bodies read of their call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include <penstock/kernel.hpp>

namespace penstock::device {

template <class T>
T* data_of(const ArrayView& array) {
  return reinterpret_cast<T*>(array.data);
}

inline bool is_empty(const ArrayView& array) { return array.type.shape.count() == 0; }

inline bool is_set(const CudaContext& context, std::size_t parameter) {
  return std::get<bool>(context.parameters[parameter]);
}
inline double real_of(const CudaContext& context, std::size_t parameter) {
  return std::get<double>(context.parameters[parameter]);
}
inline const std::string& text_of(const CudaContext& context, std::size_t parameter) {
  return std::get<std::string>(context.parameters[parameter]);
}

}  // namespace penstock::device
