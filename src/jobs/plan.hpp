/// A job file after all its checks: what the stream walks over. Built once by the reader, then constant and shared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/expression.hpp"
#include "jobs/loop.hpp"
#include "jobs/path_template.hpp"
#include "jobs/source.hpp"

namespace penstock::jobs {

/// A family of data of one type, or a single datum: a family whose loop has one step and no index.
struct Family {
  std::string name;
  Position position;
  Loop loop;  ///< its elements are numbered in the order of the loop
  ArrayType type;

  const KernelDescription* origin = nullptr;  ///< what makes an element; null: the first task that writes it
  std::vector<Parameter> origin_parameters;   ///< complete
  std::size_t varying = no_parameter;         ///< the one of them that differs between elements
  Expression seed;                            ///< its value when it is an integer
  PathTemplate path;                          ///< its value when it is a text
  Position path_position;
  std::string folder;  ///< what `path` is relative to

  static constexpr std::size_t no_parameter = SIZE_MAX;
  static constexpr std::int64_t max_elements = std::int64_t{1} << 31;
};

/// One access of an entry: which element, at which indices of the entry's loop.
struct EntryAccess {
  std::uint32_t family = 0;
  AccessMode mode = AccessMode::read;
  Expression element;
  Position position;
};

/// One [[task]] or [[save]]: as many steps as its loop has.
struct Entry {
  enum class Kind : std::uint8_t { task, save };
  Kind kind = Kind::task;
  Position position;
  Loop loop;
  const KernelDescription* kernel = nullptr;
  std::vector<EntryAccess> accesses;  ///< in the kernel's order
  bool may_alias = false;             ///< one datum may be accessed twice, once for writing
  std::vector<Parameter> parameters;  ///< complete, in the kernel's order
  int cores = 1;
  PathTemplate path;  ///< save: where to
  Position path_position;
  std::vector<std::size_t> last_uses;  ///< accesses whose datum is released right after each step
  std::vector<std::uint32_t>
      last_names;  ///< families that no later entry names: the rest is released after the last step
};

struct Plan {
  SourceFile source{""};
  std::string name;
  std::vector<Family> families;
  std::vector<Entry> entries;  ///< in the order of the file
};

/// "A[3]", "A[1, 2]" or "B"
[[nodiscard]] std::string element_name(const Family& family, std::int64_t element);

/// Replaces `path` by the input file of the element with these indices.
void make_input_path(const Family& family, std::span<const std::int64_t> indices, std::string& path);

}  // namespace penstock::jobs
