/// What names in job files look like. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// How many bytes the control character is long that `text` begins with: one that a terminal obeys, ends a line or
/// turns the direction of the text after it, in UTF-8. 0 when it begins with another character.
[[nodiscard]] constexpr std::size_t control_size(std::string_view text) {
  const auto byte = [text](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  if (text.empty()) return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return 2;
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f);
  const bool is_embedding = byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae;  // and ends of lines
  const bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  return is_mark || is_embedding || is_isolate ? 3 : 0;
}

/// Whether there is one in it.
[[nodiscard]] constexpr bool has_control(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (control_size(text) > 0) return true;
  }
  return false;
}

}  // namespace penstock::jobs
