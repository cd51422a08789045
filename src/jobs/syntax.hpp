/// The grammar of expressions and conditions: from text to operations in postfix order, which need no recursion to be
/// worked through. What the names mean is not known here. Pure; any thread.
///
///     condition  = both { "or" both }              both    = negation { "and" negation }
///     negation   = { "not" } comparison            comparison = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum ]
///     sum        = product { ("+" | "-") product } product = factor { ("*" | "/" | "%") factor }
///     factor     = { "-" } ( number | name | ("ceil" | "floor") "(" sum ")" | "(" condition or sum ")" )
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace penstock::jobs {

struct Operation {
  enum class Kind : std::uint8_t {
    number,
    name,
    negate,
    add,
    subtract,
    multiply,
    divide,
    divide_up,    ///< ceil(a / b)
    divide_down,  ///< floor(a / b)
    modulo,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    both,
    either,
    opposite,
  };
  Kind kind = Kind::number;
  std::int64_t number = 0;
  std::string_view name;  ///< within the text
};

/// Throw Mistake: syntax, a number beyond 64 bits, more than 32 parentheses inside each other. The text must stay as
/// long as the operations.
[[nodiscard]] std::vector<Operation> parse_sum(std::string_view text);
[[nodiscard]] std::vector<Operation> parse_condition(std::string_view text);

}  // namespace penstock::jobs
