#include <limits>
#include <utility>

#include "jobs/integers.hpp"
#include "jobs/names.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

/// "A[i, j]" taken apart: the name and the subscripts.
struct Parts {
  std::string_view name;
  std::vector<std::string_view> subscripts;
};

Parts parts_of(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const std::size_t bracket = trimmed.find('[');
  Parts parts{trim(trimmed.substr(0, bracket)), {}};
  if (!is_name(parts.name) || (bracket != std::string_view::npos && !trimmed.ends_with(']'))) {
    throw Mistake(in_quotes(text) + " is no reference to data, \"B\" or \"A[i]\" would be");
  }
  if (bracket == std::string_view::npos) return parts;
  std::string_view inside = trimmed.substr(bracket + 1, trimmed.size() - bracket - 2);
  while (true) {
    const std::size_t comma = inside.find(',');
    parts.subscripts.push_back(trim(inside.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    inside.remove_prefix(comma + 1);
  }
}

std::string plural(std::size_t count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

[[noreturn]] void fail_count(const Family& family, std::size_t given) {
  const std::size_t ranges = family.axes.size() - family.tile_axes;
  throw Mistake("data " + family.name + " has " + plural(ranges, "range") +
                (family.tile_axes == 0   ? ""
                 : family.tile_axes == 1 ? " and 1 axis of tiles"
                                         : " and 2 axes of tiles") +
                ", so " + plural(family.axes.size(), "subscript") + (family.axes.size() == 1 ? " is" : " are") +
                " needed, not " + std::to_string(given));
}

void add_subscript(const Family& family, std::size_t axis, Subscript subscript, const Scope& scope,
                   EntryAccess& access) {
  const auto [begin, count] = family.axes[axis];
  const Extremes range = scope.extremes(subscript.value);
  if (range.least < begin || range.greatest >= begin + count) {
    if (scope.is_exact()) {
      family.fail_outside(axis, subscript.text, range.least < begin ? range.least : range.greatest);
    }
    access.is_proven = false;
  }
  access.subscripts.push_back(std::move(subscript));
}

/// The number of the element within its family, as an expression of the entry's indices.
Expression element_of(const Family& family, std::span<const Subscript> subscripts) {
  Expression element;
  std::int64_t stride = 1;
  for (std::size_t k = family.axes.size(); k-- > 0;) {
    element.add_scaled(subscripts[k].value, stride);
    element.add_scaled(Expression(family.axes[k].begin), -stride);
    stride *= family.axes[k].count;
  }
  return element;
}

}  // namespace

References::References(const Plan& plan) : plan_(plan) {
  for (const Family& family : plan.families) {
    numbers_.emplace(family.name, static_cast<std::uint32_t>(numbers_.size()));
  }
}

std::uint32_t References::need(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  constexpr std::size_t few = 10;
  std::vector<std::string_view> names;
  for (const Family& family : plan_.families) names.emplace_back(family.name);
  throw Mistake("unknown data " + in_quotes(name) + suggestion(name, names) +
                (names.empty() || names.size() > few ? ", a table [data." + std::string(name) + "] is needed"
                                                     : "; known: " + listed(names)));
}

EntryAccess References::read(std::string_view text, AccessMode mode, const Scope& scope) const {
  const Parts parts = parts_of(text);
  EntryAccess access;
  access.family = need(parts.name);
  access.mode = mode;
  const Family& family = plan_.families[access.family];
  if (parts.subscripts.size() != family.axes.size()) fail_count(family, parts.subscripts.size());
  for (std::size_t axis = 0; axis < parts.subscripts.size(); ++axis) {
    const std::string_view subscript = parts.subscripts[axis];
    add_subscript(family, axis, {Expression::parse(subscript, scope), std::string(subscript)}, scope, access);
  }
  access.element = element_of(family, access.subscripts);
  return access;
}

std::uint32_t References::family(std::string_view text) const { return need(parts_of(text).name); }

bool References::is_whole(std::string_view text) const {
  const Parts parts = parts_of(text);
  const Family& family = plan_.families[need(parts.name)];
  return family.is_tiled() && parts.subscripts.size() + family.tile_axes == family.axes.size();
}

EntryAccess References::read_whole(std::string_view text, const Scope& scope) const {
  const Parts parts = parts_of(text);
  EntryAccess access;
  access.family = need(parts.name);
  const Family& family = plan_.families[access.family];
  for (std::size_t axis = 0; axis < parts.subscripts.size(); ++axis) {
    const std::string_view subscript = parts.subscripts[axis];
    add_subscript(family, axis, {Expression::parse(subscript, scope), std::string(subscript)}, scope, access);
  }
  const std::size_t first = scope.variables().size() - family.tile_axes;
  for (std::size_t axis = 0; axis < family.tile_axes; ++axis) {
    access.subscripts.push_back({Expression(static_cast<std::uint32_t>(first + axis), 1), "tile"});
  }
  access.element = element_of(family, access.subscripts);
  return access;
}

}  // namespace penstock::jobs
