#include "jobs/text_template.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "jobs/names.hpp"
#include "jobs/source.hpp"

namespace penstock::jobs {

namespace {

constexpr std::size_t max_length = 4095;  // what Linux takes as a path

void append_number(std::int64_t value, std::size_t width, std::string& text) {
  char digits[24];
  char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  const std::size_t sign = value < 0 ? 1 : 0;
  const auto length = static_cast<std::size_t>(end - digits);
  text.append(digits, sign);
  if (length < width) text.append(width - length, '0');
  text.append(digits + sign, length - sign);
}

void append_real(double value, std::string& text) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

/// A value that stands alone; false: an integer or a list.
bool append_value(const Value& value, std::string& text) {
  if (const auto* const real = std::get_if<double>(&value)) {
    append_real(*real, text);
  } else if (const auto* const truth = std::get_if<bool>(&value)) {
    text += *truth ? "true" : "false";
  } else if (const auto* const literal = std::get_if<std::string>(&value)) {
    text += *literal;
  } else {
    return false;
  }
  return true;
}

/// The number after the colon of "i:03"; 0 without one.
std::size_t width_of(std::string_view inside) {
  const std::size_t colon = inside.find(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view format = inside.substr(colon + 1);
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(format.data(), format.data() + format.size(), width);
  if (!format.starts_with('0') || error != std::errc{} || end != format.data() + format.size() || width < 1 ||
      width > 20) {
    throw Mistake("the format " + in_quotes(format) + " is not of the form 03, a zero and a width of at most 20");
  }
  return width;
}

}  // namespace

TextTemplate TextTemplate::parse(std::string_view text, const Scope& scope, std::string_view what) {
  const std::string whole = "the " + std::string(what) + ' ' + in_quotes(text);
  if (has_control(text)) throw Mistake(whole + " has control characters, printable ones are needed");
  if (text.size() > max_length) {
    throw Mistake(whole + " has " + std::to_string(text.size()) + " characters, at most " + std::to_string(max_length) +
                  " are allowed");
  }
  TextTemplate result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
      result.tail_ += c;
      ++at;
    } else if (c == '{') {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) throw Mistake(whole + " has a '{' without its '}'");
      result.add(text.substr(at + 1, end - at - 1), scope);
      at = end;
    } else if (c == '}') {
      throw Mistake(whole + " has a '}' without its '{', a brace itself is written '}}'");
    } else {
      result.tail_ += c;
    }
  }
  return result;
}

void TextTemplate::add(std::string_view inside, const Scope& scope) {
  const std::string_view name = trim(inside);
  const Scope::Variable* const variable = scope.find(name);
  const bool is_item =
      variable != nullptr && variable->range.list != nullptr && variable->range.list->type != ParameterType::integer;
  const Value* const value = variable == nullptr ? scope.value(name) : nullptr;
  if (value != nullptr && append_value(*value, tail_)) return;
  Piece piece;
  if (is_item) {
    piece.list = variable->range.list;
    piece.variable = variable->range.variable;
  } else {
    piece.width = width_of(inside);
    piece.number = Expression::parse(inside.substr(0, inside.find(':')), scope);
    static_cast<void>(scope.extremes(piece.number));
    if (piece.number.is_constant()) return append_number(piece.number.constant(), piece.width, tail_);
  }
  piece.literal = std::exchange(tail_, {});
  pieces_.push_back(std::move(piece));
}

void TextTemplate::make(const Indices& indices, std::string& text) const {
  text.clear();
  for (const Piece& piece : pieces_) {
    text += piece.literal;
    if (piece.list == nullptr) {
      append_number(piece.number.evaluate(indices.values), piece.width, text);
      continue;
    }
    const Parameter& item = piece.list->items[static_cast<std::size_t>(indices.values[piece.variable])];
    if (const auto* const real = std::get_if<double>(&item))
      append_real(*real, text);
    else
      text += std::get<std::string>(item);
  }
  text += tail_;
}

void check_inside(std::string_view path) {
  constexpr std::size_t path_size_max = 3000;  // leaves room for the folder
  constexpr std::size_t name_size_max = 255;
  if (path.size() > path_size_max) {
    throw Mistake("the path " + in_quotes(path) + " is longer than 3000 bytes, at most so many are allowed");
  }
  if (path == "~" || path.starts_with("~/")) {
    throw Mistake("the path " + in_quotes(path) + " means the home folder, one relative to the results is needed");
  }
  if (path.starts_with('/'))
    throw Mistake("the path " + in_quotes(path) + " is absolute, one relative to the results is needed");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    if (component == "..")
      throw Mistake("the path " + in_quotes(path) + " has a '..', it must stay inside the results");
    if (component.empty() || component == ".") {
      throw Mistake("the path " + in_quotes(path) + " has an empty or '.' component, plain names are needed");
    }
    if (component.size() > name_size_max) {
      throw Mistake("the path " + in_quotes(path) + " has a name of more than 255 bytes, at most so many are allowed");
    }
    begin = end + 1;
  }
}

}  // namespace penstock::jobs
