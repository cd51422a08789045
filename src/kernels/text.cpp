#include "kernels/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

namespace penstock::kernels {

namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + '"';
}

/// Levenshtein's distance: insertions, deletions and replacements.
std::size_t edits_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[to.size()];
}

}  // namespace

std::string_view name_of(AccessMode mode) {
  constexpr std::array<std::string_view, 5> names{"read", "write", "read_write", "commute", "reduce"};
  return names[static_cast<std::size_t>(mode)];
}

std::string_view name_of(ParameterType type) {
  constexpr std::array<std::string_view, 4> names{"boolean", "integer", "real", "text"};
  return names[static_cast<std::size_t>(type)];
}

std::string to_text(double number) {
  std::array<char, 32> characters{};
  const auto end = std::to_chars(characters.data(), characters.data() + characters.size(), number).ptr;
  return {characters.data(), end};
}

std::string to_text(const Parameter& value) {
  switch (static_cast<ParameterType>(value.index())) {
    case ParameterType::boolean:
      return std::get<bool>(value) ? "true" : "false";
    case ParameterType::integer:
      return std::to_string(std::get<std::int64_t>(value));
    case ParameterType::real:
      return to_text(std::get<double>(value));
    case ParameterType::text:
      return quoted(std::get<std::string>(value));
  }
  return {};
}

std::string to_text(const ArrayType& type) { return type.shape.to_string() + ' ' + std::string(name_of(type.dtype)); }

std::string_view nearest(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits < fewest && edits < candidate.size()) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace penstock::kernels
