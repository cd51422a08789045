/// The table [values]: named constants and lists, which stand for themselves wherever a name may. Read once, then
/// constant. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::jobs {

/// Integers, real numbers or texts, all of one type, at least one.
struct List {
  ParameterType type = ParameterType::integer;
  std::vector<Parameter> items;

  /// Of a list of integers.
  [[nodiscard]] std::int64_t integer(std::size_t index) const { return std::get<std::int64_t>(items[index]); }
};

using Value = std::variant<bool, std::int64_t, double, std::string, List>;

/// By name; what it holds does not move.
using Values = std::map<std::string, Value, std::less<>>;

/// "an integer", "a text", "a list of texts", ...
[[nodiscard]] std::string kind_of(const Value& value);

/// Of one [values]: the value of a name to be replaced, as it was given: `--set n=1000`.
struct Override {
  std::string name;
  std::string text;
};

}  // namespace penstock::jobs
