#include "jobs/source.hpp"

#include <algorithm>
#include <numeric>

#include "jobs/names.hpp"

namespace penstock::jobs {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Levenshtein's distance: how many characters to change, add or drop; capitals count as small letters.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = diagonal + (lower(left[i]) == lower(right[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Cut between two characters: half of one that has several bytes would not be UTF-8 any more.
std::string clipped(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xc0) == 0x80) --longest;
  return std::string(text.substr(0, longest)) + "...";
}

/// With another character in place of each that must not be printed.
std::string inert(std::string_view text, char replacement) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = control_size(text.substr(at));
    result += length > 0 ? replacement : text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string safe = "'";
  safe += inert(clipped(text, 60), '?');
  return safe + "'";
}

std::string suggestion(std::string_view name, std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 60;
  if (name.size() > longest) return "";
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest) continue;
    const std::size_t here = distance(name, candidate);
    if (here >= best_distance || here >= std::max(name.size(), candidate.size())) continue;
    best = candidate;
    best_distance = here;
  }
  return best.empty() ? "" : ", did you mean " + in_quotes(best) + "?";
}

std::string listed(std::span<const std::string_view> names) {
  constexpr std::size_t most = 40;
  std::string text;
  for (const std::string_view name : names.first(std::min(names.size(), most))) {
    if (!text.empty()) text += ", ";
    text += inert(name, '?');
  }
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

std::string line_of(const Position& place, const Position& from) {
  const bool is_same = !place.file || !from.file || *place.file == *from.file;
  return is_same ? "line " + std::to_string(place.line) : *place.file + ':' + std::to_string(place.line);
}

void SourceFile::fail(const Position& position, std::string_view what) const {
  const std::string& name = position.file ? *position.file : name_;
  throw Error(ErrorCode::bad_job, inert(name, '?') + ':' + std::to_string(position.line) + ':' +
                                      std::to_string(position.column) + ": " + inert(clipped(what, 1000), ' '));
}

}  // namespace penstock::jobs
