#include "observe/trace_text.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace penstock::observe {

namespace {

constexpr std::size_t much = std::size_t{1} << 20;
constexpr std::size_t one_event = std::size_t{4} << 10;

}  // namespace

TraceText::TraceText(TextSink sink) : sink_(std::move(sink)) { text_.reserve(much + one_event); }

void TraceText::hand_on_much() {
  if (text_.size() >= much) flush();
}

void TraceText::flush() {
  sink_(text_);
  text_.clear();
}

void TraceText::append(Micros time) {
  const bool negative = time.ns < 0;
  const std::uint64_t ns = negative ? -static_cast<std::uint64_t>(time.ns) : static_cast<std::uint64_t>(time.ns);
  const auto digit = [](std::uint64_t value) { return static_cast<char>('0' + value % 10); };
  if (negative) text_ += '-';
  append_number(ns / 1000);
  const char decimals[] = {'.', digit(ns / 100), digit(ns / 10), digit(ns)};
  text_.append(decimals, sizeof decimals);
}

void TraceText::append_number(std::int64_t number) {
  const fmt::format_int text(number);
  text_.append(text.data(), text.size());
}

void TraceText::append_number(std::uint64_t number) {
  const fmt::format_int text(number);
  text_.append(text.data(), text.size());
}

std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace penstock::observe
