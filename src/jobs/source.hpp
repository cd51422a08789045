/// Where in a job file something stands, and how its mistakes are reported: as one line `file:line:column: what is
/// wrong, what would be right`. Used by everything that reads job files, on the thread that loads the job.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <penstock/error.hpp>

namespace penstock::jobs {

/// Line and column count from 1. Without a file: in the SourceFile that reports it.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::shared_ptr<const std::string> file = nullptr;
};

/// A mistake found by code that does not know where its text stands. SourceFile::at() adds the place.
struct Mistake : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Text of a job file for a message: in quotes, one line, printable, not long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// ", did you mean 'x'?" for the most similar candidate, or nothing when none is similar.
[[nodiscard]] std::string suggestion(std::string_view name, std::span<const std::string_view> candidates);

/// "a, b, c"; of very many only some.
[[nodiscard]] std::string listed(std::span<const std::string_view> names);

/// "line 7", with the file's name where it is not that of `from`.
[[nodiscard]] std::string line_of(const Position& place, const Position& from);

/// The name of a job file as it was given, or as the file that includes it says.
class SourceFile {
 public:
  explicit SourceFile(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }

  /// Throws Error (bad_job).
  [[noreturn]] void fail(const Position& position, std::string_view what) const;

  /// Calls `action`; its Mistakes and the Errors of the layers below become mistakes at `position`.
  template <class Action>
  decltype(auto) at(const Position& position, Action&& action) const {
    try {
      return std::forward<Action>(action)();
    } catch (const Mistake& mistake) {
      fail(position, mistake.what());
    } catch (const Error& error) {
      if (error.code() == ErrorCode::bad_job) throw;
      fail(position, error.what());
    }
  }

 private:
  std::string name_;
};

}  // namespace penstock::jobs
