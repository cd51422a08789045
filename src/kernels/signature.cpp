#include "kernels/signature.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

std::string text_of(const AccessDescription& access) {
  std::string text(name_of(access.mode));
  if (access.allows_read_write) text += "|read_write";
  text += ' ' + access.name + ' ';
  if (access.dtypes.empty()) return text + "any";
  for (std::size_t i = 0; i < access.dtypes.size(); ++i) {
    if (i > 0) text += '|';
    text += name_of(access.dtypes[i]);
  }
  return text;
}

std::string text_of(const ParameterDescription& parameter) {
  std::string text = parameter.name + ' ' + std::string(name_of(parameter.type));
  if (parameter.default_value) text += " = " + to_text(*parameter.default_value);
  return text;
}

std::string_view kernel_of(std::string_view signature) { return signature.substr(0, signature.find('(')); }

std::string only_one(std::string_view signature, std::string_view where) {
  return "kernel \"" + std::string(kernel_of(signature)) + "\" is registered only " + std::string(where);
}

}  // namespace

std::string signature_of(const KernelDescription& kernel) {
  std::string text = kernel.name + '(';
  for (std::size_t i = 0; i < kernel.accesses.size(); ++i) text += (i > 0 ? ", " : "") + text_of(kernel.accesses[i]);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    text += (i > 0 ? ", " : "; ") + text_of(kernel.parameters[i]);
  }
  return text + (kernel.uses_openmp ? ") openmp" : kernel.allows_panels ? ") panels" : ")");
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  for (const char character : text) seed = (seed ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  return seed;
}

std::string first_difference(std::span<const std::string> here, std::span<const std::string> there) {
  const std::size_t both = std::min(here.size(), there.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (here[i] == there[i]) continue;
    const int order = kernel_of(here[i]).compare(kernel_of(there[i]));
    if (order < 0) return only_one(here[i], "here");
    if (order > 0) return only_one(there[i], "there");
    return "kernel \"" + std::string(kernel_of(here[i])) + "\" differs: here " + here[i] + ", there " + there[i];
  }
  if (here.size() > both) return only_one(here[both], "here");
  if (there.size() > both) return only_one(there[both], "there");
  return {};
}

}  // namespace penstock::kernels
