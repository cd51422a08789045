#include "jobs/source.hpp"

#include <algorithm>
#include <numeric>

#include "jobs/names.hpp"

namespace penstock::jobs {

namespace {

/// Levenshtein's distance: how many characters to change, add or drop.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t changed = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string safe = "'";
  for (std::string_view rest = text.substr(0, longest); !rest.empty();) {
    const std::size_t control = control_size(rest);
    safe += control > 0 ? '?' : rest.front();
    rest.remove_prefix(std::max<std::size_t>(control, 1));
  }
  // A character of several bytes that was cut in two would not be UTF-8 any more.
  if (text.size() > longest) {
    while ((static_cast<unsigned char>(safe.back()) & 0xc0) == 0x80) safe.pop_back();
    if (static_cast<unsigned char>(safe.back()) >= 0xc0) safe.pop_back();
    safe += "...";
  }
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
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string line_of(const Position& place, const Position& from) {
  const bool is_same = !place.file || !from.file || *place.file == *from.file;
  return is_same ? "line " + std::to_string(place.line) : *place.file + ':' + std::to_string(place.line);
}

void SourceFile::fail(const Position& position, std::string_view what) const {
  std::string message = (position.file ? *position.file : name_) + ':' + std::to_string(position.line) + ':' +
                        std::to_string(position.column) + ": ";
  for (const char character : what) message += static_cast<unsigned char>(character) < 0x20 ? ' ' : character;
  throw Error(ErrorCode::bad_job, message);
}

}  // namespace penstock::jobs
