/// One table of a job file, read by key: every getter checks the type and reports mistakes with their place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "jobs/source.hpp"

namespace penstock::jobs {

[[nodiscard]] Position position_of(const toml::node& node);
[[nodiscard]] Position position_of(const toml::key& key);
/// "a string", "a table", ...
[[nodiscard]] std::string_view kind_of(const toml::node& node);

/// Borrows the source and the tree, which must outlive it.
class Table {
 public:
  /// `title` is how messages call it, such as "[data.A]".
  Table(const SourceFile& source, const toml::table& table, std::string title)
      : source_(source), table_(table), title_(std::move(title)) {}
  /// `node` must be a table, else the message says that `title` is one. A key that it lacks is looked for among the
  /// defaults, which may be null.
  Table(const SourceFile& source, const toml::node& node, std::string title, const toml::table* defaults = nullptr);

  /// Reports the first key that is not among `known`.
  void allow_only(std::span<const std::string_view> known) const;

  [[nodiscard]] const toml::node* find(std::string_view key) const {
    const toml::node* const own = find_own(key);
    return own != nullptr || defaults_ == nullptr ? own : defaults_->get(key);
  }
  /// Without the defaults.
  [[nodiscard]] const toml::node* find_own(std::string_view key) const { return table_.get(key); }
  /// Reports a missing key, with `example` as what would be right.
  [[nodiscard]] const toml::node& need(std::string_view key, std::string_view example) const;

  [[nodiscard]] std::string text(std::string_view key, std::string_view example) const;
  [[nodiscard]] std::optional<std::string> text_if(std::string_view key) const;
  [[nodiscard]] std::optional<double> real_if(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer_if(std::string_view key) const;

  struct Text {
    std::string value;
    Position position;
  };
  /// A list of strings; empty when the key is absent.
  [[nodiscard]] std::vector<Text> texts(std::string_view key) const;
  /// A string or a list of strings; empty when the key is absent.
  [[nodiscard]] std::vector<Text> text_or_texts(std::string_view key, std::string_view example) const;

  [[nodiscard]] const toml::table& nodes() const { return table_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  [[nodiscard]] const SourceFile& source() const { return source_; }
  [[nodiscard]] Position position() const { return position_of(table_); }
  /// Of the value of `key`; of the table when it is absent.
  [[nodiscard]] Position position(std::string_view key) const;
  [[noreturn]] void wrong_kind(std::string_view key, const toml::node& node, std::string_view wanted) const;

 private:
  const SourceFile& source_;
  const toml::table& table_;
  std::string title_;
  const toml::table* defaults_ = nullptr;
};

}  // namespace penstock::jobs
