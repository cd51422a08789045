#include "executor/body.hpp"

#include <string_view>

#include "core/parameters.hpp"

namespace penstock::executor {

void call_body(const KernelDescription& kernel, std::span<const ArrayView> arrays,
               std::span<const std::byte> parameters, Part part, std::vector<Parameter>& scratch) {
  scratch.clear();
  if (!parameters.empty() && !core::decode_parameters(parameters, scratch)) {
    throw Error(ErrorCode::invalid_argument, "the parameters of kernel " + kernel.name + " are damaged");
  }
  call_body(kernel, arrays, scratch, part);
}

std::string message_of(const char* what) {
  constexpr std::size_t message_most = 4096;
  constexpr std::string_view left_out = " ... ";
  constexpr std::size_t half = (message_most - left_out.size()) / 2;
  if (*what == '\0') return "exception without a message";
  std::string message(what);
  if (message.size() > message_most) message.replace(half, message.size() - 2 * half, left_out);
  return message;
}

}  // namespace penstock::executor
