#include "cli/arguments.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <sstream>

#include <fmt/core.h>

#include "cli/suggest.hpp"
#include "observe/units.hpp"

namespace penstock::cli {

namespace {

namespace po = boost::program_options;

constexpr unsigned help_columns = 100;
constexpr unsigned meaning_columns = 70;

po::options_description described(std::span<const OptionDescription> options) {
  po::options_description all(help_columns, meaning_columns);
  const auto add = [&all](const OptionDescription& option) {
    std::string name(option.name);
    if (option.letter != '\0') name += std::string(",") + option.letter;
    if (option.value_name.empty()) {
      all.add_options()(name.c_str(), option.meaning.c_str());
    } else {
      auto* const value = po::value<std::string>()->value_name(std::string(option.value_name));
      all.add_options()(name.c_str(), value, option.meaning.c_str());
    }
  };
  for (const OptionDescription& option : options) add(option);
  add({.name = "help", .letter = 'h', .value_name = "", .meaning = "print this text"});
  return all;
}

std::string unknown_option_text(const std::string& argument, const po::options_description& known) {
  const std::string given = argument.substr(0, argument.find('='));
  const std::string word = given.substr(std::min(given.find_first_not_of('-'), given.size()));
  std::vector<std::string_view> names;
  for (const auto& option : known.options()) names.emplace_back(option->long_name());
  const std::string_view meant = nearest(word, names);
  return meant.empty() ? fmt::format("unknown option '{}'", given)
                       : fmt::format("unknown option '{}'; the nearest known one is '--{}'", given, meant);
}

std::string syntax_text(const po::invalid_command_line_syntax& error) {
  const std::string name = error.get_option_name();
  switch (error.kind()) {
    case po::invalid_syntax::missing_parameter:
    case po::invalid_syntax::empty_adjacent_parameter:
      return fmt::format("option '{}' needs a value", name);
    case po::invalid_syntax::extra_parameter:
      return fmt::format("option '{}' takes no value", name);
    default:
      return fmt::format("'{}' is not an option", name);
  }
}

std::vector<po::option> parsed(const po::options_description& known, std::span<const std::string> arguments) {
  namespace style = po::command_line_style;
  constexpr int strict = style::unix_style & ~style::allow_guessing;
  try {
    const std::vector<std::string> list(arguments.begin(), arguments.end());
    return po::command_line_parser(list).options(known).style(strict).run().options;
  } catch (const po::unknown_option& error) {
    throw UsageError(unknown_option_text(error.get_option_name(), known));
  } catch (const po::invalid_command_line_syntax& error) {
    throw UsageError(syntax_text(error));
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

Arguments::Arguments(std::span<const OptionDescription> options, std::span<const std::string> arguments) {
  for (const po::option& option : parsed(described(options), arguments)) {
    if (option.position_key >= 0) {
      positional_.insert(positional_.end(), option.value.begin(), option.value.end());
      continue;
    }
    const auto described = std::ranges::find(options, option.string_key, &OptionDescription::name);
    const bool repeats = described != options.end() && described->repeats;
    if (!repeats && has(option.string_key))
      throw UsageError(fmt::format("option '--{}' is given twice", option.string_key));
    given_.push_back({option.string_key, option.value.empty() ? "" : option.value.front()});
  }
}

std::optional<std::string> Arguments::text(std::string_view option) const {
  const Given* const given = find(option);
  if (given == nullptr) return std::nullopt;
  if (given->value.empty()) throw UsageError(fmt::format("option '--{}' needs a value", option));
  return given->value;
}

std::vector<std::string> Arguments::texts(std::string_view option) const {
  std::vector<std::string> values;
  for (const Given& given : given_) {
    if (given.option != option) continue;
    if (given.value.empty()) throw UsageError(fmt::format("option '--{}' needs a value", option));
    values.push_back(given.value);
  }
  return values;
}

std::vector<std::pair<std::string, std::string>> Arguments::assignments(std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const std::string& each : texts(option)) {
    const std::size_t sign = each.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw UsageError(fmt::format("--{} takes NAME=VALUE, not '{}'", option, each));
    }
    result.emplace_back(each.substr(0, sign), each.substr(sign + 1));
  }
  return result;
}

std::optional<std::int64_t> Arguments::number(std::string_view option, std::int64_t least, std::int64_t most) const {
  const auto given = text(option);
  if (!given) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = given->data() + given->size();
  const auto read = std::from_chars(given->data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > most) {
    throw UsageError(fmt::format("--{} takes a whole number from {} to {}, not '{}'", option, least, most, *given));
  }
  return value;
}

std::optional<std::int64_t> Arguments::bytes(std::string_view option, std::int64_t least) const {
  const auto given = text(option);
  if (!given) return std::nullopt;
  const auto value = observe::parse_bytes(*given);
  if (!value || *value < least) {
    throw UsageError(fmt::format("--{} takes a size such as 4GiB, 512MiB, 1e9 or 4096, not '{}'", option, *given));
  }
  return value;
}

const std::string& Arguments::only_positional(std::string_view name) const {
  if (positional_.empty() || positional_.front().empty()) throw UsageError(fmt::format("{} is missing", name));
  if (positional_.size() > 1) throw UsageError(fmt::format("one {} only; '{}' is too much", name, positional_[1]));
  return positional_.front();
}

std::optional<std::string> Arguments::optional_positional(std::string_view name) const {
  if (positional_.empty()) return std::nullopt;
  return only_positional(name);
}

void Arguments::no_positional() const {
  if (!positional_.empty()) throw UsageError(fmt::format("unexpected argument '{}'", positional_.front()));
}

const Arguments::Given* Arguments::find(std::string_view option) const {
  const auto found = std::ranges::find(given_, option, &Given::option);
  return found == given_.end() ? nullptr : &*found;
}

std::string options_text(std::span<const OptionDescription> options) {
  std::ostringstream text;
  text << described(options);
  return text.str();
}

}  // namespace penstock::cli
