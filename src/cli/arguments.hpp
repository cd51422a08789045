/// The arguments of one command: parsed strictly (no abbreviations, nothing unknown, nothing twice), with messages that
/// say what was meant. Main thread; nothing is read but what is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::cli {

/// A command line that cannot be used: one line, exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option as help and parser see it.
struct OptionDescription {
  std::string_view name;        ///< without dashes
  char letter = '\0';           ///< its short form, if it has one
  std::string_view value_name;  ///< empty: it takes no value
  std::string meaning;          ///< one phrase, with the default
  bool repeats = false;         ///< it may be given several times
};

/// What was given of a command's options and positional arguments.
class Arguments {
 public:
  /// --help is known to every command and need not be described.
  Arguments(std::span<const OptionDescription> options, std::span<const std::string> arguments);

  [[nodiscard]] bool help() const { return has("help"); }
  [[nodiscard]] bool has(std::string_view option) const { return find(option) != nullptr; }
  [[nodiscard]] std::optional<std::string> text(std::string_view option) const;
  /// Of an option that repeats, in the order in which they were given.
  [[nodiscard]] std::vector<std::string> texts(std::string_view option) const;
  /// NAME=VALUE of an option that repeats, taken apart; UsageError where there is no name or no '='.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> assignments(std::string_view option) const;
  /// A whole number of at least `least`; UsageError for anything else.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view option, std::int64_t least,
                                                   std::int64_t most) const;
  /// An amount of bytes as observe::parse_bytes() reads it, of at least `least`.
  [[nodiscard]] std::optional<std::int64_t> bytes(std::string_view option, std::int64_t least = 1) const;

  /// The only positional argument; UsageError when there is none, several, or an empty one. `name`: "FILE".
  [[nodiscard]] const std::string& only_positional(std::string_view name) const;
  /// The same, but absent when there is none.
  [[nodiscard]] std::optional<std::string> optional_positional(std::string_view name) const;
  /// UsageError when there is a positional argument.
  void no_positional() const;

 private:
  struct Given {
    std::string option;
    std::string value;
  };
  [[nodiscard]] const Given* find(std::string_view option) const;

  std::vector<Given> given_;
  std::vector<std::string> positional_;
};

/// The options with their meanings in two columns, --help last.
[[nodiscard]] std::string options_text(std::span<const OptionDescription> options);

}  // namespace penstock::cli
