/// Texts with indices and values in them, such as "data/a_{i:03}.npy": paths, names of tasks, parameters. Pure; any
/// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/expression.hpp"
#include "jobs/loop.hpp"
#include "jobs/scope.hpp"

namespace penstock::jobs {

class TextTemplate {
 public:
  /// {expression} is its value, {expression:03} the value padded with zeros to a width of 3, {s} the item of a list or
  /// a value that is no integer; {{ and }} are braces. Throws Mistake: syntax, an expression that is wrong or beyond 64
  /// bits, control characters. `what` is how messages call it: "path".
  static TextTemplate parse(std::string_view text, const Scope& scope, std::string_view what);

  /// Replaces `text` by the text for these indices.
  void make(const Indices& indices, std::string& text) const;

  [[nodiscard]] bool is_constant() const { return pieces_.empty(); }

 private:
  /// A literal text and what stands after it.
  struct Piece {
    std::string literal;
    Expression number;
    std::size_t width = 0;
    const List* list = nullptr;  ///< an item of it in place of the number
    std::uint32_t variable = 0;  ///< which item
  };
  void add(std::string_view inside, const Scope& scope);

  std::vector<Piece> pieces_;
  std::string tail_;
};

/// Throws Mistake unless the path stays inside the folder it is taken in: no root, no `..`, `.` or empty component.
void check_inside(std::string_view path);

}  // namespace penstock::jobs
