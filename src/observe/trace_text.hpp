/// JSON text in pieces, to wherever it goes: for traces of millions of events, of which no document is ever held. The
/// caller writes the punctuation. One thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace penstock::observe {

/// Where text goes. May block; what it throws goes through the writer.
using TextSink = std::function<void(std::string_view)>;

/// Nanoseconds, to be written as microseconds with three decimals.
struct Micros {
  std::int64_t ns = 0;
};

class TraceText {
 public:
  explicit TraceText(TextSink sink);
  TraceText(const TraceText&) = delete;
  TraceText& operator=(const TraceText&) = delete;

  /// Text as it is, whole numbers, and Micros, one after another.
  template <class... Parts>
  TraceText& add(const Parts&... parts) {
    (append(parts), ...);
    return *this;
  }
  /// Hands on what has come together once it is much; between two events.
  void hand_on_much();
  /// Hands on all.
  void flush();

 private:
  void append(std::string_view text) { text_ += text; }
  void append(std::integral auto number) { append_number(number); }
  void append(Micros time);
  void append_number(std::int64_t number);
  void append_number(std::uint64_t number);
  void append_number(std::int32_t number) { append_number(std::int64_t{number}); }
  void append_number(std::uint32_t number) { append_number(std::uint64_t{number}); }
  void append_number(std::uint16_t number) { append_number(std::uint64_t{number}); }
  void append_number(std::uint8_t number) { append_number(std::uint64_t{number}); }

  TextSink sink_;
  std::string text_;
};

/// The text as a JSON string with its quotes; what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace penstock::observe
