#include "jobs/path_template.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "jobs/source.hpp"

namespace penstock::jobs {

PathTemplate PathTemplate::parse(std::string_view text, std::span<const Variable> variables) {
  if (text.empty()) throw Mistake("the path is empty, the name of a file is needed");
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    throw Mistake("the path " + in_quotes(text) + " has control characters, printable ones are needed");
  }
  PathTemplate result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
      result.tail_ += c;
      ++at;
    } else if (c == '{') {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) throw Mistake("the path " + in_quotes(text) + " has a '{' without its '}'");
      result.add_number(text.substr(at + 1, end - at - 1), variables);
      at = end;
    } else if (c == '}') {
      throw Mistake("the path " + in_quotes(text) + " has a '}' without its '{', a brace itself is written '}}'");
    } else {
      result.tail_ += c;
    }
  }
  return result;
}

void PathTemplate::add_number(std::string_view inside, std::span<const Variable> variables) {
  Piece piece;
  const std::size_t colon = inside.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view format = inside.substr(colon + 1);
    const auto [end, error] = std::from_chars(format.data(), format.data() + format.size(), piece.width);
    if (!format.starts_with('0') || error != std::errc{} || end != format.data() + format.size() || piece.width < 1 ||
        piece.width > 20) {
      throw Mistake("the format " + in_quotes(format) + " is not of the form 03, a zero and a width of at most 20");
    }
  }
  piece.number = Expression::parse(inside.substr(0, colon), variables);
  static_cast<void>(piece.number.extremes(variables));
  piece.literal = std::exchange(tail_, {});
  pieces_.push_back(std::move(piece));
}

void PathTemplate::make(std::span<const std::int64_t> values, std::string& path) const {
  path.clear();
  for (const Piece& piece : pieces_) {
    path += piece.literal;
    char digits[24];
    const std::int64_t value = piece.number.evaluate(values);
    char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    const std::size_t sign = value < 0 ? 1 : 0;
    const auto length = static_cast<std::size_t>(end - digits);
    path.append(digits, sign);
    if (length < piece.width) path.append(piece.width - length, '0');
    path.append(digits + sign, length - sign);
  }
  path += tail_;
}

void PathTemplate::check_inside(std::span<const Variable> variables) const {
  // A number has a digit, so it neither makes nor mends such a component: the first path stands for all.
  std::vector<std::int64_t> first;
  for (const Variable& variable : variables) first.push_back(variable.begin);
  std::string path;
  make(first, path);
  if (path.starts_with('/'))
    throw Mistake("the path " + in_quotes(path) + " is absolute, one relative to the results is needed");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = std::string_view(path).substr(begin, end - begin);
    if (component == "..")
      throw Mistake("the path " + in_quotes(path) + " has a '..', it must stay inside the results");
    if (component.empty() || component == ".") {
      throw Mistake("the path " + in_quotes(path) + " has an empty or '.' component, plain names are needed");
    }
    begin = end + 1;
  }
}

}  // namespace penstock::jobs
