#include "npy/header.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <penstock/error.hpp>
#include <vector>

namespace penstock::npy {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::array<std::string_view, dtype_count> descriptions{"<f4", "<f8", "<i4", "<i8"};

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, std::string(name) + ": " + what);
}

/// Text of a file for a message: one line, not long, printable.
std::string quoted(std::string_view text) {
  std::string safe = "'";
  for (const char character : text.substr(0, 40)) safe += character >= ' ' && character <= '~' ? character : '?';
  return safe + (text.size() > 40 ? "...'" : "'");
}

/// Reads the Python dictionary of a header: string keys; strings, booleans and tuples of integers as values.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  void read(Header& header) {
    expect('{');
    while (!accept('}')) {
      read_item();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_spaces();
    if (at_ != text_.size()) refuse(name_, "the header goes on after its dictionary; a '}' should end it");
    if (!descr_ || !order_ || !shape_) {
      refuse(name_, "the header lacks one of 'descr', 'fortran_order' and 'shape'; all three are needed");
    }
    header.type = {*descr_, *shape_};
    header.fortran_order = *order_;
  }

 private:
  void read_item() {
    const std::string_view key = text_value("a key");
    expect(':');
    if (key == "descr")
      read_once(key, descr_, [this] { return dtype_value(); });
    else if (key == "fortran_order")
      read_once(key, order_, [this] { return boolean_value(); });
    else if (key == "shape")
      read_once(key, shape_, [this] { return shape_value(); });
    else
      refuse(name_, "the header has an unknown key " + quoted(key) + "; NumPy writes descr, fortran_order and shape");
  }

  template <class T, class Read>
  void read_once(std::string_view key, std::optional<T>& value, Read read) {
    if (value) refuse(name_, "the header has the key " + quoted(key) + " twice; each belongs there once");
    value = read();
  }

  DType dtype_value() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '[') {
      refuse(name_, "the elements are structures; one of <f4, <f8, <i4, <i8 is needed");
    }
    const std::string_view descr = text_value("the value of 'descr'");
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
      if (descr == descriptions[i]) return static_cast<DType>(i);
    }
    const char* why = descr.starts_with('>') ? " (big-endian)"
                      : descr == "|b1"       ? " (bool)"
                      : descr == "|O"        ? " (objects)"
                                             : "";
    refuse(name_, "the element type is " + quoted(descr) + why + "; one of <f4, <f8, <i4, <i8 is needed");
  }

  bool boolean_value() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    refuse(name_, "'fortran_order' is neither True nor False");
  }

  Shape shape_value() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      if (extents.size() == Shape::max_dimensions)
        refuse(name_, "the array has more than 8 dimensions; at most 8 are allowed");
      extents.push_back(extent_value());
      if (accept(',')) continue;
      // A tuple of one element needs its comma: (3) is a number in Python.
      if (extents.size() == 1) refuse(name_, "'shape' is not a tuple; (3,) would be one");
      expect(')');
      break;
    }
    try {
      return Shape(extents);
    } catch (const Error& error) {
      refuse(name_, error.what());
    }
  }

  std::int64_t extent_value() {
    skip_spaces();
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
    if (error != std::errc{}) refuse(name_, "'shape' holds something that is no integer of 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote integers
    return extent;
  }

  std::string_view text_value(std::string_view what) {
    skip_spaces();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) refuse(name_, std::string(what) + " in the header is not a string in quotes");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  bool accept(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (accept(wanted)) return;
    const std::string found = at_ < text_.size() ? quoted(text_.substr(at_, 1)) : "its end";
    refuse(name_, "the header is no dictionary as NumPy writes it: " + found + " where '" + wanted + "' is expected");
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::optional<DType> descr_;
  std::optional<bool> order_;
  std::optional<Shape> shape_;
};

}  // namespace

std::size_t header_bytes(std::span<const std::byte> prefix, std::string_view name) {
  const auto byte_at = [&](std::size_t index) { return std::to_integer<std::size_t>(prefix[index]); };
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (!text.starts_with(magic)) refuse(name, "this is not an .npy file; one begins with \\x93NUMPY");
  if (prefix.size() < 8) refuse(name, "the file ends inside its header; it is cut off");
  const std::size_t major = byte_at(6);
  const std::size_t minor = byte_at(7);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(name, "version " + std::to_string(major) + '.' + std::to_string(minor) +
                     " of the format is unknown; 1.0, 2.0 and 3.0 are read");
  }
  const std::size_t fixed = major == 1 ? 10 : 12;
  if (prefix.size() < fixed) refuse(name, "the file ends inside its header; it is cut off");
  std::size_t length = byte_at(8) | byte_at(9) << 8;
  if (major > 1) length |= byte_at(10) << 16 | byte_at(11) << 24;
  if (fixed + length > max_header_bytes) {
    refuse(name, "the header has " + std::to_string(length) + " bytes; at most 1 MiB is read");
  }
  return fixed + length;
}

Header parse_header(std::span<const std::byte> bytes, std::string_view name) {
  Header header;
  header.data_offset = header_bytes(bytes, name);
  if (bytes.size() < header.data_offset) refuse(name, "the file ends inside its header; it is cut off");
  const std::size_t fixed = bytes[6] == std::byte{1} ? 10 : 12;
  const auto text = bytes.subspan(fixed, header.data_offset - fixed);
  DictionaryReader({reinterpret_cast<const char*>(text.data()), text.size()}, name).read(header);
  return header;
}

std::string make_header(const ArrayType& type) {
  std::string shape;
  for (const std::int64_t extent : type.shape.extents()) shape += std::to_string(extent) + ", ";
  if (type.shape.dimensions() > 1) shape.resize(shape.size() - 2);
  if (type.shape.dimensions() == 1) shape.resize(shape.size() - 1);
  const std::string_view descr = descriptions[static_cast<std::size_t>(type.dtype)];
  const std::string dictionary =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (" + shape + "), }";

  constexpr std::size_t fixed = 10;
  const std::size_t total = (fixed + dictionary.size() + 1 + 63) / 64 * 64;
  const std::size_t length = total - fixed;
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  header += dictionary;
  header.append(total - header.size() - 1, ' ');
  return header + '\n';
}

}  // namespace penstock::npy
