/// Calls of one kernel as a task would make them: arrays in host memory, parameters by name, any number of panels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <penstock/kernel.hpp>

#include "kernels/arguments.hpp"

namespace penstock::kernels {

/// An array that owns its memory, aligned as a runtime's is and never null.
class HostArray {
 public:
  HostArray(DType dtype, const Shape& shape)
      : type_{dtype, shape}, lines_(static_cast<std::size_t>(type_.bytes()) / sizeof(Line) + 1) {}
  template <class T>
  static HostArray of(const Shape& shape, std::initializer_list<T> values) {
    HostArray array(dtype_of<T>, shape);
    std::copy(values.begin(), values.end(), array.as<T>().begin());
    return array;
  }

  [[nodiscard]] const ArrayType& type() const { return type_; }
  template <class T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(lines_.data()), static_cast<std::size_t>(type_.shape.count())};
  }
  template <class T>
  [[nodiscard]] std::vector<T> values() {
    return {as<T>().begin(), as<T>().end()};
  }
  [[nodiscard]] ArrayView view() { return {reinterpret_cast<std::byte*>(lines_.data()), type_}; }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  ArrayType type_;
  std::vector<Line> lines_;
};

using Named = std::vector<NamedValue>;

/// Checks the arguments as a runtime does, then runs the panels, last first. A write becomes read_write if `reads_out`.
inline void call(const KernelDescription& kernel, std::initializer_list<HostArray*> arrays, const Named& named = {},
                 int panel_count = 1, bool reads_out = false) {
  std::vector<Parameter> parameters;
  resolve_parameters(kernel, named, {}, parameters);
  std::vector<TaskAccess> accesses;
  std::vector<ArrayView> views;
  for (HostArray* const array : arrays) {
    const AccessMode mode = kernel.accesses.at(views.size()).mode;
    accesses.push_back({reads_out && mode == AccessMode::write ? AccessMode::read_write : mode, array->type()});
    views.push_back(array->view());
  }
  check_accesses(kernel, accesses, parameters);
  for (int panel = panel_count - 1; panel >= 0; --panel) {
    kernel.cpu({.arrays = views, .parameters = parameters, .panel = panel, .panel_count = panel_count});
  }
}

/// What the exception that `action` throws says; "" when it throws none.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code() == ErrorCode::invalid_argument ? error.what() : std::string("another code: ") + error.what();
  }
  return {};
}

}  // namespace penstock::kernels
