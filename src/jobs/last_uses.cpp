#include "jobs/last_uses.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "jobs/integers.hpp"

namespace penstock::jobs {

namespace {

using Variable = std::uint32_t;

/// One access of the family, and the entry it is in.
struct Use {
  Entry* entry;
  std::size_t access;
  [[nodiscard]] EntryAccess& get() const { return entry->accesses[access]; }
};

/// Which steps name which data of one family, for the uses in one top-level entry or group.
class Sharing {
 public:
  /// `shared`: how many variables, the outermost ones, the loops around all uses have in common.
  Sharing(std::vector<Use> uses, Variable shared) : uses_(std::move(uses)), shared_(shared) {
    for (Variable variable = 0; variable < shared; ++variable) grids_.push_back(grid_of(variable));
  }

  /// How many of the shared variables, from the outside in, have steps that surely name different data.
  [[nodiscard]] Variable separated() const {
    for (Variable count = shared_; count > 0; --count) {
      if (are_told_apart(count)) return count;
    }
    return 0;
  }

  /// Where data come and go as the variable after the first `count` moves on.
  [[nodiscard]] std::optional<Lifetime> moving(Variable count) const {
    if (count == shared_) return std::nullopt;
    const auto& variable = scope().variables()[count];
    if (variable.range.list != nullptr) return std::nullopt;
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      if (const auto found = moving_along(axis, count)) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::span<const Use> uses() const { return uses_; }
  [[nodiscard]] Variable shared() const { return shared_; }

 private:
  [[nodiscard]] const Scope& scope() const { return *uses_.front().entry->scope; }
  [[nodiscard]] std::size_t axes() const { return uses_.front().get().subscripts.size(); }
  [[nodiscard]] static const Expression& subscript(const Use& use, std::size_t axis) {
    return use.get().subscripts[axis].value;
  }

  /// Whether the subscripts tell the first `count` variables: each is told by some axis, knowing those already told.
  [[nodiscard]] bool are_told_apart(Variable count) const {
    std::vector<bool> told(count);
    for (Variable variable = 0; variable < count; ++variable) {
      told[variable] = grids_[variable].greatest <= grids_[variable].least && grids_[variable].is_distinct;
    }
    for (std::size_t round = 0; round < axes(); ++round) {
      for (std::size_t axis = 0; axis < axes(); ++axis) tell(axis, count, told);
    }
    return std::ranges::find(told, false) == told.end();
  }

  /// The values that the variable has in any of the uses.
  [[nodiscard]] Scope::Grid grid_of(Variable variable) const {
    Scope::Grid result = scope().grid(variable);
    for (const Use& use : uses_) {
      const Scope::Grid grid = use.entry->scope->grid(variable);
      result.least = std::min(result.least, grid.least);
      result.greatest = std::max(result.greatest, grid.greatest);
    }
    return result;
  }

  struct Part {
    std::uint64_t size;
    std::uint64_t count;
    Variable variable;
  };

  void tell(std::size_t axis, Variable count, std::vector<bool>& told) const {
    std::vector<Part> parts;
    for (Variable variable = 0; variable < count; ++variable) {
      const std::int64_t coefficient = subscript(uses_.front(), axis).coefficient(variable);
      for (const Use& use : uses_) {
        if (subscript(use, axis).coefficient(variable) != coefficient) return;
      }
      if (coefficient == 0 || told[variable]) continue;
      const Scope::Grid& grid = grids_[variable];
      std::int64_t size = 0;
      if (!grid.is_distinct || __builtin_mul_overflow(coefficient, grid.spacing, &size) || size == INT64_MIN) return;
      const std::int64_t magnitude = size < 0 ? -size : size;
      parts.push_back({static_cast<std::uint64_t>(magnitude), static_cast<std::uint64_t>(grid.count()), variable});
    }
    const auto rest = rest_of(axis, count);
    if (parts.empty() || !rest) return;
    // As in a number system: a step must be longer than all that the smaller parts can add up to.
    std::ranges::sort(parts, {}, &Part::size);
    std::uint64_t reach = *rest;
    for (const Part& part : parts) {
      std::uint64_t more = 0;
      if (part.size <= reach || __builtin_mul_overflow(part.size, part.count - 1, &more)) return;
      if (__builtin_add_overflow(reach, more, &reach)) return;
    }
    for (const Part& part : parts) told[part.variable] = true;
  }

  /// How far apart the parts of the subscript can be that are not the first `count` variables', over all uses.
  [[nodiscard]] std::optional<std::uint64_t> rest_of(std::size_t axis, Variable count) const {
    std::int64_t least = INT64_MAX;
    std::int64_t greatest = INT64_MIN;
    try {
      for (const Use& use : uses_) {
        Expression rest = subscript(use, axis);
        for (const Expression::Term& term : subscript(use, axis).terms()) {
          if (term.variable < count) rest = rest.plus(Expression(term.variable, term.coefficient), -1);
        }
        const Extremes range = use.entry->scope->extremes(rest);
        least = std::min(least, range.least);
        greatest = std::max(greatest, range.greatest);
      }
      return static_cast<std::uint64_t>(std::max<std::int64_t>(checked_difference(greatest, least), 0));
    } catch (const Mistake&) {
      return std::nullopt;  // beyond 64 bits: nothing is known
    }
  }

  [[nodiscard]] std::optional<Lifetime> moving_along(std::size_t axis, Variable count) const {
    const Expression& first = subscript(uses_.front(), axis);
    Lifetime lifetime{.variable = count, .coefficient = first.coefficient(count)};
    if (lifetime.coefficient == 0) return std::nullopt;
    lifetime.least = first.constant();
    lifetime.greatest = first.constant();
    for (const Use& use : uses_) {
      const Expression& here = subscript(use, axis);
      if (!std::ranges::equal(here.terms(), first.terms()) || here.terms().back().variable != count)
        return std::nullopt;
      lifetime.least = std::min(lifetime.least, here.constant());
      lifetime.greatest = std::max(lifetime.greatest, here.constant());
    }
    std::int64_t span = 0;
    if (__builtin_sub_overflow(lifetime.greatest, lifetime.least, &span) || span >= Lifetime::max_keys)
      return std::nullopt;
    lifetime.axis = axis;
    return have_room(lifetime) ? std::optional(lifetime) : std::nullopt;
  }

  /// The keys fit into 64 bits.
  [[nodiscard]] bool have_room(const Lifetime& lifetime) const {
    const Scope::Grid& grid = grids_[lifetime.variable];
    for (const std::int64_t value : {grid.least, grid.greatest}) {
      for (const std::int64_t offset : {lifetime.least, lifetime.greatest}) {
        std::int64_t key = 0;
        if (__builtin_mul_overflow(lifetime.coefficient, value, &key) || __builtin_add_overflow(key, offset, &key)) {
          return false;
        }
      }
    }
    return true;
  }

  std::vector<Use> uses_;
  Variable shared_;
  std::vector<Scope::Grid> grids_;  // by shared variable
};

class Marker {
 public:
  explicit Marker(Plan& plan) : plan_(plan), last_(plan.families.size(), unknown) {}

  void run() {
    const auto& top = plan_.nodes.front().children;
    for (auto node = top.rbegin(); node != top.rend(); ++node) mark(*node);
  }

 private:
  struct FamilyUses {
    std::uint32_t family;
    std::vector<Use> uses;
  };

  /// The families that the top-level node names, and no later one.
  void mark(std::uint32_t top) {
    std::vector<FamilyUses> families;
    collect(top, families);
    for (FamilyUses& each : families) {
      plan_.nodes[top].last_families.push_back(each.family);
      const Variable shared = shared_by(each.uses);
      settle(each.family, Sharing(std::move(each.uses), shared));
      last_[each.family] = later;
    }
  }

  /// In the order of the file; the groups inside each other are few, so recursion ends.
  void collect(std::uint32_t node, std::vector<FamilyUses>& families) {
    for (const std::uint32_t child : plan_.nodes[node].children) collect(child, families);
    if (!plan_.nodes[node].entry) return;
    Entry& entry = plan_.entries[*plan_.nodes[node].entry];
    for (std::size_t access = 0; access < entry.accesses.size(); ++access) {
      const std::uint32_t family = entry.accesses[access].family;
      if (is_count(family) || last_[family] == later) continue;
      if (last_[family] == unknown) {
        last_[family] = families.size();
        families.push_back({family, {}});
      }
      families[last_[family]].uses.push_back({&entry, access});
    }
  }

  [[nodiscard]] bool is_count(std::uint32_t family) const { return family == plan_.counts_family; }

  /// The variables of the loops around all uses; those of an entry too when all are in it.
  [[nodiscard]] Variable shared_by(std::span<const Use> uses) const {
    std::vector<std::uint32_t> common = path_to(uses.front().entry->node);
    for (const Use& use : uses) {
      const std::vector<std::uint32_t> path = path_to(use.entry->node);
      const auto end = std::ranges::mismatch(common, path).in1;
      common.erase(end, common.end());
    }
    Variable count = 0;
    for (const std::uint32_t node : common) count += static_cast<Variable>(plan_.nodes[node].loop.ranges.size());
    return count;
  }

  [[nodiscard]] std::vector<std::uint32_t> path_to(std::uint32_t node) const {
    std::vector<std::uint32_t> path;
    for (; node != 0; node = plan_.nodes[node].parent) path.push_back(node);
    std::ranges::reverse(path);
    return path;
  }

  void settle(std::uint32_t family, const Sharing& sharing) {
    const Entry& entry = *sharing.uses().front().entry;
    const Variable separated = sharing.separated();
    const bool is_one = std::ranges::all_of(sharing.uses(), [&](const Use& use) { return use.entry == &entry; });
    if (is_one && separated == entry.scope->variables().size()) {
      for (const Use& use : sharing.uses()) use.entry->last_uses.push_back(use.access);
      return;
    }
    std::optional<Lifetime> lifetime = sharing.moving(separated);
    if (!lifetime && separated == 0) return;
    if (!lifetime) lifetime = Lifetime{.variable = separated - 1};
    lifetime->family = family;
    const auto number = static_cast<std::uint32_t>(plan_.lifetimes.size());
    plan_.nodes[node_of(entry.node, lifetime->variable)].lifetimes.push_back(number);
    for (const Use& use : sharing.uses()) {
      use.get().lifetime = number;
      if (lifetime->coefficient != 0) use.get().lifetime_offset = use.get().subscripts[lifetime->axis].value.constant();
    }
    plan_.lifetimes.push_back(*lifetime);
  }

  /// The node, on the way to `node`, whose loop has the variable.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t node, Variable variable) const {
    for (; node != 0; node = plan_.nodes[node].parent) {
      const auto& ranges = plan_.nodes[node].loop.ranges;
      if (!ranges.empty() && ranges.front().variable <= variable) return node;
    }
    return node;
  }

  Plan& plan_;
  static constexpr std::size_t unknown = SIZE_MAX;
  static constexpr std::size_t later = SIZE_MAX - 1;  ///< a later top-level node names it
  std::vector<std::size_t> last_;  ///< by family: its place among those of the node, or one of the two
};

}  // namespace

void mark_last_uses(Plan& plan) { Marker(plan).run(); }

}  // namespace penstock::jobs
