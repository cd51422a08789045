/// File names with indices in them: "data/a_{i:03}.npy". Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/expression.hpp"

namespace penstock::jobs {

class PathTemplate {
 public:
  /// {expression} is its value, {expression:03} the value padded with zeros to a width of 3; {{ and }} are braces.
  /// Throws Mistake: syntax, an expression that is wrong or beyond 64 bits, an empty path, control characters.
  static PathTemplate parse(std::string_view text, std::span<const Variable> variables);

  /// Replaces `path` by the path for these indices.
  void make(std::span<const std::int64_t> values, std::string& path) const;

  /// Throws Mistake unless every path of the template stays inside the folder it is taken in: no root, no `..`, `.` or
  /// empty component.
  void check_inside(std::span<const Variable> variables) const;

 private:
  /// A literal text and the number after it.
  struct Piece {
    std::string literal;
    Expression number;
    std::size_t width = 0;
  };
  void add_number(std::string_view inside, std::span<const Variable> variables);

  std::vector<Piece> pieces_;
  std::string tail_;
};

}  // namespace penstock::jobs
