#include "observe/table.hpp"

#include <algorithm>

namespace penstock::observe {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Bytes of the longest start of `text` that is at most `width` columns wide.
std::size_t bytes_of_columns(std::string_view text, std::size_t width) {
  std::size_t at = 0;
  for (std::size_t columns = 0; at < text.size(); ++at) {
    if (continues_character(text[at])) continue;
    if (columns++ == width) break;
  }
  return at;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void wrap_line(std::string_view line, std::size_t width, std::vector<std::string>& lines) {
  while (columns_of(line) > width) {
    const std::size_t fits = bytes_of_columns(line, width);
    const std::size_t space = line.rfind(' ', fits);
    const bool at_space = space != std::string_view::npos && space > 0;
    const std::size_t cut = at_space ? space : fits;
    lines.push_back(clipped(line.substr(0, cut), width));
    line.remove_prefix(cut + (at_space ? 1 : 0));
  }
  lines.push_back(clipped(line, width));
}

void append_cell(const std::string& cell, const Column& column, std::size_t width, std::string& line) {
  const std::string padding(width - columns_of(cell), ' ');
  line += column.align == Align::left ? cell + padding : padding + cell;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

std::string clipped(std::string_view text, std::size_t width) {
  std::string plain(text);
  std::ranges::replace_if(plain, is_control, ' ');
  if (columns_of(plain) <= width) return plain;
  if (width < 4) return plain.substr(0, bytes_of_columns(plain, width));
  return plain.substr(0, bytes_of_columns(plain, width - 3)) + "...";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t lines_max) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  std::vector<std::string> lines;
  do {
    wrap_line(take_line(text), width, lines);
  } while (!text.empty() && lines.size() <= lines_max);
  if (lines.size() <= lines_max) return lines;
  lines.resize(lines_max);
  if (!lines.empty())
    lines.back() = clipped(lines.back().substr(0, bytes_of_columns(lines.back(), width - 3)), width) + "...";
  return lines;
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = clipped(cells[i], columns_[i].width_max);
  rows_.push_back(std::move(cells));
}

std::string Table::to_text(std::size_t indent) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    widths.push_back(columns_of(titles[i]));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      append_cell(cells[i], columns_[i], widths[i], line);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  append(titles);
  for (const auto& row : rows_) append(row);
  return text;
}

}  // namespace penstock::observe
