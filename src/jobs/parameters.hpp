/// The parameters of a kernel as an entry or an origin gives them: some are the same in every step, others follow the
/// indices. Built by the reader, then constant; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/expression.hpp"
#include "jobs/loop.hpp"
#include "jobs/text_template.hpp"

namespace penstock::jobs {

/// A parameter that follows the indices: by its type an integer, a real number made of one, or a text; or an item of a
/// list.
struct VaryingParameter {
  std::size_t parameter = 0;
  ParameterType type = ParameterType::integer;
  Expression number;
  TextTemplate text;
  std::string folder;  ///< what a text that is not absolute is relative to, when it is the path of a file to read
  const List* list = nullptr;
  std::uint32_t variable = 0;  ///< which item

  /// Replaces `value`, which is of that type. `is_text_made`: else a text stays as it is.
  void make(const Indices& indices, bool is_text_made, Parameter& value) const;
};

struct ParameterValues {
  std::vector<Parameter> constant;  ///< complete, in the kernel's order; of a varying one, any value of its type
  std::vector<VaryingParameter> varying;
};

/// `path` where it is absolute, else inside `folder`.
void set_in_folder(const std::string& folder, std::string& path);

}  // namespace penstock::jobs
