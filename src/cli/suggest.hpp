/// "Did you mean": the known word nearest to one that is not known. Pure.
#pragma once

#include <span>
#include <string_view>

namespace penstock::cli {

/// Edits (insert, remove, replace one character, exchange two neighbours) from one word to the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// The known word with the fewest edits from `word`, the first of several; empty when none is near enough to be meant:
/// at most 1 edit for words up to 3 characters, then a third of the word. A beginning of a known word, two characters
/// or more, is near too.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace penstock::cli
