#include "engine/record.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

namespace penstock::engine {

using core::AccessKind;

namespace {

constexpr std::size_t name_most = 254;

}  // namespace

static_assert(std::is_trivially_destructible_v<Access> && alignof(Access) <= 8);
static_assert(std::is_trivially_destructible_v<Need> && alignof(Need) <= 8);

AccessKind Task::kind_of(const Access& access) {
  if (access.commutes()) return AccessKind::commute;
  if (access.out == nullptr) return AccessKind::read;
  const auto index = static_cast<std::size_t>(&access - accesses().data());
  const bool is_marked = index < marks_most && (marks >> index & 1U) != 0;
  if (access.in == nullptr) return is_marked ? AccessKind::consume : AccessKind::write;
  if (!takes_over(access)) return AccessKind::copy;
  return is_marked ? AccessKind::overwrite : AccessKind::consume;
}

std::span<Need> Task::needs() {
  return {std::launder(reinterpret_cast<Need*>(accesses().data() + access_count)), need_count};
}

std::span<const std::byte> Task::parameters() {
  return {reinterpret_cast<std::byte*>(needs().data() + need_count), parameter_bytes};
}

std::string_view Task::name() {
  const auto* const begin = reinterpret_cast<const char*>(parameters().data() + parameter_bytes);
  return {begin, name_bytes};
}

void Task::begin_block_with(std::size_t accesses, std::span<const Need> needs, std::span<const std::byte> parameters,
                            std::string_view name, memory::BufferCache& buffers) {
  access_count = static_cast<std::uint8_t>(accesses);
  need_count = static_cast<std::uint8_t>(needs.size()) & needs_most;
  parameter_bytes = static_cast<std::uint32_t>(parameters.size());
  name_bytes = static_cast<std::uint8_t>(std::min(name.size(), name_most));
  if (block_bytes() > inline_bytes) block = buffers.allocate(block_bytes());
  std::byte* place = block != nullptr ? block : inline_block;
  std::uninitialized_default_construct_n(reinterpret_cast<Access*>(place), accesses);
  place += accesses * sizeof(Access);
  std::uninitialized_copy(needs.begin(), needs.end(), reinterpret_cast<Need*>(place));
  place += needs.size() * sizeof(Need);
  if (!parameters.empty()) std::memcpy(place, parameters.data(), parameters.size());
  if (name_bytes > 0) std::memcpy(place + parameters.size(), name.data(), name_bytes);
}

}  // namespace penstock::engine
