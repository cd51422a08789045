#include <algorithm>
#include <utility>

#include "jobs/names.hpp"
#include "jobs/reader.hpp"

namespace penstock::jobs {

namespace {

/// One parameter given as a string: what that means depends on its type.
class TextReader {
 public:
  TextReader(const KernelDescription& kernel, const std::string& text, const Scope& scope, GivenParameter& given)
      : kernel_(kernel), description_(kernel.parameters[given.parameter]), text_(text), scope_(scope), given_(given) {}

  void read(const std::string& folder) {
    switch (description_.type) {
      case ParameterType::text:
        return read_text(folder);
      case ParameterType::boolean:
        return read_boolean();
      case ParameterType::real:
        if (!read_real()) read_number();
        return;
      case ParameterType::integer:
        return read_number();
    }
  }

 private:
  void read_text(const std::string& folder) {
    TextTemplate text = TextTemplate::parse(text_, scope_, "parameter " + description_.name);
    if (!text.is_constant()) {
      given_.varying.text = std::move(text);
      given_.varying.folder = folder;
      return;
    }
    std::string made;
    text.make({}, made);
    if (!made.empty()) set_in_folder(folder, made);
    given_.constant = std::move(made);
  }

  void read_boolean() {
    const Value* const value = scope_.value(trim(text_));
    if (value == nullptr || !std::holds_alternative<bool>(*value)) {
      throw Mistake("parameter " + description_.name + " of kernel " + kernel_.name + " is " + in_quotes(text_) +
                    ", true, false or the name of a boolean value is needed");
    }
    given_.constant = std::get<bool>(*value);
  }

  /// Whether the text is the name of a real value, or of a list of them.
  bool read_real() {
    const std::string_view name = trim(text_);
    if (const Scope::Variable* const variable = scope_.find(name)) {
      const List* const list = variable->range.list;
      if (list == nullptr || list->type != ParameterType::real) return false;
      given_.varying.list = list;
      given_.varying.variable = variable->range.variable;
      return true;
    }
    const Value* const value = scope_.value(name);
    if (value == nullptr || !std::holds_alternative<double>(*value)) return false;
    given_.constant = std::get<double>(*value);
    return true;
  }

  void read_number() {
    const Expression number = Expression::parse(text_, scope_);
    static_cast<void>(scope_.extremes(number));
    if (!number.is_constant())
      given_.varying.number = number;
    else
      given_.constant = converted_parameter(kernel_, given_.parameter, number.constant());
  }

  const KernelDescription& kernel_;
  const ParameterDescription& description_;
  const std::string& text_;
  const Scope& scope_;
  GivenParameter& given_;
};

Parameter constant_of(const SourceFile& source, std::string_view name, const toml::node& node) {
  if (node.is_boolean()) return node.as_boolean()->get();
  if (node.is_integer()) return node.as_integer()->get();
  if (node.is_floating_point()) return node.as_floating_point()->get();
  source.fail(position_of(node), "parameter " + in_quotes(name) + " is " + std::string(kind_of(node)) +
                                     ", a boolean, a number or a string is needed");
}

Parameter any_of(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return false;
    case ParameterType::integer:
      return std::int64_t{0};
    case ParameterType::real:
      return 0.0;
    case ParameterType::text:
      break;
  }
  return std::string();
}

}  // namespace

GivenParameter read_parameter(const SourceFile& source, const KernelDescription& kernel, std::string_view name,
                              const toml::node& node, const Scope& scope, const std::string& folder) {
  GivenParameter given;
  given.parameter = parameter_index(kernel, name);
  given.position = position_of(node);
  given.varying.parameter = given.parameter;
  given.varying.type = kernel.parameters[given.parameter].type;
  source.at(given.position, [&] {
    if (const auto* const text = node.as_string())
      TextReader(kernel, text->get(), scope, given).read(folder);
    else
      given.constant = converted_parameter(kernel, given.parameter, constant_of(source, name, node));
  });
  return given;
}

ParameterValues complete_parameters(const KernelDescription& kernel, std::vector<GivenParameter> given) {
  ParameterValues values;
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    const auto found = std::ranges::find(given, index, &GivenParameter::parameter);
    const ParameterDescription& description = kernel.parameters[index];
    if (found == given.end() && !description.default_value) fail_missing(kernel, index);
    if (found == given.end()) {
      values.constant.push_back(*description.default_value);
    } else if (found->constant) {
      values.constant.push_back(std::move(*found->constant));
    } else {
      values.constant.push_back(any_of(description.type));
      values.varying.push_back(std::move(found->varying));
    }
  }
  return values;
}

std::vector<std::optional<Position>> positions_of(const KernelDescription& kernel,
                                                  std::span<const GivenParameter> given) {
  std::vector<std::optional<Position>> positions(kernel.parameters.size());
  for (const GivenParameter& each : given) positions[each.parameter] = each.position;
  return positions;
}

}  // namespace penstock::jobs
