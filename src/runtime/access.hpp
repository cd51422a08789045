/// Makes the program's handle of a runtime.
#pragma once

#include <memory>
#include <utility>

#include <penstock/runtime.hpp>

namespace penstock {

class RuntimeAccess {
 public:
  static Runtime make(std::shared_ptr<detail::RuntimeState> state) { return Runtime(std::move(state)); }
};

}  // namespace penstock
