/// What names in job files look like. Pure.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace penstock::jobs {

/// A letter or underscore, then letters, digits and underscores.
[[nodiscard]] constexpr bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// Words of the language, which cannot name an index or a value.
[[nodiscard]] constexpr bool is_reserved(std::string_view name) {
  constexpr std::string_view words[] = {"and", "or", "not", "in", "step", "ceil", "floor"};
  return std::ranges::find(words, name) != std::end(words);
}

/// Without spaces and tabs at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace penstock::jobs
