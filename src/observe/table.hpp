/// Aligned columns of text. A value of one thread; what it is given may come from other machines or from a user's
/// kernel, so it never passes on control characters, and clips what is too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::observe {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  std::size_t width_max = 24;  ///< in characters; longer cells end in "..."
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Cells that are missing at the end are empty.
  void add(std::vector<std::string> cells);
  /// Title line and rows, each with `indent` spaces before it, two spaces between columns and none at the end.
  [[nodiscard]] std::string to_text(std::size_t indent) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters of UTF-8 text, one column each.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// The text with a space for every control character, cut to `width` columns; "..." stands for what was cut off.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t width);

/// The text broken at spaces into lines of at most `width` columns (`width` at least 4), at most `lines_max` of them;
/// the last one ends in "..." when there was more. Line breaks in the text are kept, other control characters become
/// spaces.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t lines_max);

}  // namespace penstock::observe
