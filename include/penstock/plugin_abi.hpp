/// What a plugin and penstock know of each other before either may run the other's code: plain data, in one form for
/// ever. A plugin exports one PluginHeader under the C name `penstock_plugin`; penstock loads the plugin, reads all but
/// the last member, and calls that one only when everything else is as in its own build. Until then the plugin's static
/// objects have made a list of function pointers and nothing else. <penstock/plugin.hpp> defines the header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <penstock/kernel.hpp>
#include <penstock/version.hpp>

namespace penstock {

inline constexpr std::string_view plugin_magic = "penstock-plugin";
inline constexpr const char* plugin_symbol = "penstock_plugin";

/// Grows with every change of a type that a plugin shares with penstock, or of what is promised about it.
inline constexpr std::uint32_t plugin_abi_version = 3;

struct PluginHeader {
  std::array<char, 16> magic{};             ///< plugin_magic
  std::uint32_t abi_version = 0;            ///< plugin_abi_version
  std::uint32_t compiler_abi = 0;           ///< __GXX_ABI_VERSION
  std::uint32_t library_abi = 0;            ///< of the C++ standard library
  std::uint32_t description_bytes = 0;      ///< sizeof(KernelDescription)
  std::array<char, 32> penstock_version{};  ///< for the message; what decides is above
  /// Makes the descriptions of the plugin's kernels; throws what a kernel's description throws.
  std::vector<KernelDescription> (*describe)() = nullptr;
};

/// The header of what is compiled here: the program asks it of itself, the plugin exports it.
consteval PluginHeader make_plugin_header(std::vector<KernelDescription> (*describe)()) {
  PluginHeader header;
  for (std::size_t i = 0; i < plugin_magic.size(); ++i) header.magic[i] = plugin_magic[i];
  for (std::size_t i = 0; i < header_version.size(); ++i) header.penstock_version[i] = header_version[i];
  header.abi_version = plugin_abi_version;
  header.compiler_abi = __GXX_ABI_VERSION;
#ifdef _GLIBCXX_USE_CXX11_ABI
  header.library_abi = _GLIBCXX_USE_CXX11_ABI;  // libstdc++: 0 or 1, the two forms of std::string
#else
  header.library_abi = 0xffff'ffff;
#endif
  header.description_bytes = sizeof(KernelDescription);
  header.describe = describe;
  return header;
}

}  // namespace penstock
