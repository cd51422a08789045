/// A job file after all its checks: what the stream walks over. Built once by the reader, then constant and shared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/datum.hpp"
#include "jobs/expression.hpp"
#include "jobs/family.hpp"
#include "jobs/loop.hpp"
#include "jobs/parameters.hpp"
#include "jobs/scope.hpp"
#include "jobs/source.hpp"
#include "jobs/text_template.hpp"
#include "jobs/totals.hpp"
#include "jobs/values.hpp"

namespace penstock::jobs {

/// One subscript of an access, and its text for messages.
struct Subscript {
  Expression value;
  std::string text;
};

/// One access of an entry: which element, at which indices.
struct EntryAccess {
  std::uint32_t family = 0;
  AccessMode mode = AccessMode::read;
  std::optional<Reduction> reduction;  ///< of an access that reduces
  Expression element;
  std::vector<Subscript> subscripts;  ///< one for each axis of the family; what `element` is made of
  bool is_proven = true;              ///< the subscripts stay within the axes; else each step is looked at
  Position position;
  std::optional<std::uint32_t> lifetime;  ///< the one that releases what is accessed here
  std::int64_t lifetime_offset = 0;       ///< what this access adds to its key
};

/// One [[task]] or [[save]]: a step, or more, for each step of its loop within those of the groups around it.
struct Entry {
  enum class Kind : std::uint8_t {
    task,
    save,
    save_array,  ///< a tiled array into one file: its loop goes over the tiles too, and a step saves one
  };
  Kind kind = Kind::task;
  Position position;
  std::uint32_t node = 0;
  std::optional<Scope> scope;  ///< always there once read
  LoopSize size;
  const KernelDescription* kernel = nullptr;
  std::vector<EntryAccess> accesses;  ///< in the kernel's order
  bool may_alias = false;             ///< one datum may be accessed twice, once for writing
  ParameterValues parameters;
  int cores = 1;
  std::optional<TextTemplate> name;
  TextTemplate path;  ///< save: where to, relative to the results
  Position path_position;
  std::size_t result_parameter = SIZE_MAX;                   ///< save: the parameter that is the path
  std::vector<std::size_t> last_uses;                        ///< accesses whose datum is released right after each step
  std::vector<std::optional<Position>> parameter_positions;  ///< of those given

  // save_array: its last access is the number of elements written, which the steps add up.
  const KernelDescription* add = nullptr;
  const KernelDescription* publish = nullptr;
  ParameterValues publish_parameters;
  std::size_t publish_result_parameter = SIZE_MAX;
};

/// When data of a family that one top-level entry or group names, as the last one, are released: an access touches the
/// key coefficient * index + offset, and what a key stands for is released once the key can come no more. With a
/// coefficient of 0: when `variable`, or one further out, moves on.
struct Lifetime {
  std::uint32_t family = 0;
  std::uint32_t variable = 0;
  std::int64_t coefficient = 0;
  std::size_t axis = 0;    ///< whose subscript is the key
  std::int64_t least = 0;  ///< of the offsets
  std::int64_t greatest = 0;

  static constexpr std::int64_t max_keys = 64;
  [[nodiscard]] std::size_t keys() const { return static_cast<std::size_t>(greatest - least) + 1; }
};

/// A group, an entry, or the whole file: node 0. Children come after their parents.
struct Node {
  Loop loop;
  std::optional<std::uint32_t> entry;
  std::uint32_t parent = 0;
  std::vector<std::uint32_t> children;
  std::vector<std::uint32_t> lifetimes;      ///< that end as this loop goes on
  std::vector<std::uint32_t> last_families;  ///< of a top-level node: that no later one names
};

struct Plan {
  SourceFile source{""};
  std::string name;
  std::unique_ptr<const Values> values;
  std::vector<Family> families;
  std::vector<Node> nodes;
  std::vector<Entry> entries;  ///< in the order of the file
  std::vector<Lifetime> lifetimes;
  std::size_t indices = 0;          ///< index variables, at most, of an entry
  std::uint32_t counts_family = 0;  ///< of the numbers of elements written: the last one, when there is a save_array
  Totals totals;
  bool is_walked = false;  ///< all steps were looked at: a stream need not
};

}  // namespace penstock::jobs
