#include "engine/record.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>

namespace penstock::engine {

static_assert(std::is_trivially_destructible_v<Access> && alignof(Access) <= 8);

std::span<Access> Task::accesses() {
  std::byte* const begin = block != nullptr ? block : inline_block;
  return {std::launder(reinterpret_cast<Access*>(begin)), access_count};
}

std::span<const std::byte> Task::parameters() {
  return {reinterpret_cast<std::byte*>(accesses().data() + access_count), parameter_bytes};
}

const char* Task::name() {
  return named ? reinterpret_cast<const char*>(parameters().data() + parameter_bytes) : nullptr;
}

void Task::begin_block(std::size_t accesses, std::span<const std::byte> parameters, std::string_view name) {
  const std::size_t needed = accesses * sizeof(Access) + parameters.size();
  named = !name.empty();
  if (needed > inline_bytes || named) block = new std::byte[needed + (named ? name.size() + 1 : 0)];
  std::byte* place = block != nullptr ? block : inline_block;
  access_count = static_cast<std::uint8_t>(accesses);
  parameter_bytes = static_cast<std::uint32_t>(parameters.size());
  std::uninitialized_default_construct_n(reinterpret_cast<Access*>(place), accesses);
  place += accesses * sizeof(Access);
  std::ranges::copy(parameters, place);
  if (!named) return;
  std::memcpy(place + parameters.size(), name.data(), name.size());
  place[needed - accesses * sizeof(Access) + name.size()] = std::byte{0};
}

}  // namespace penstock::engine
