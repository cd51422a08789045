#include "plugins/abi.hpp"

#include <algorithm>
#include <cstring>

namespace penstock::plugins {

namespace {

constexpr PluginHeader ours = make_plugin_header(nullptr);

/// Text from another build: it may lack its end, or hold anything.
template <std::size_t Size>
std::string text_of(const std::array<char, Size>& characters) {
  std::string text(characters.data(), strnlen(characters.data(), Size));
  std::ranges::replace_if(
      text, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

std::string to_text(const PluginHeader& header) {
  return "penstock " + text_of(header.penstock_version) + " (plugin ABI " + std::to_string(header.abi_version) +
         ", compiler ABI " + std::to_string(header.compiler_abi) + ", library ABI " +
         std::to_string(header.library_abi) + ", " + std::to_string(header.description_bytes) + " bytes a kernel)";
}

}  // namespace

bool has_magic(const PluginHeader& header) { return header.magic == ours.magic; }

std::string misfit_of(const PluginHeader& header) {
  const bool fits = header.abi_version == ours.abi_version && header.compiler_abi == ours.compiler_abi &&
                    header.library_abi == ours.library_abi && header.description_bytes == ours.description_bytes;
  if (fits) return {};
  return "it was built for " + to_text(header) + ", but this is " + to_text(ours) + ": rebuild the plugin";
}

}  // namespace penstock::plugins
