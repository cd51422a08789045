/// What the reader of job files says to bad ones, with the built-in kernels.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <penstock/error.hpp>

#include "jobs/job.hpp"
#include "kernels/table.hpp"
#include "npy/temporary_folder.hpp"

namespace penstock::jobs::test {

[[nodiscard]] inline Job load(const std::filesystem::path& path) {
  return Job::load(JobText(path), kernels::KernelTable::process().all());
}

/// The message, or "ok".
[[nodiscard]] inline std::string refusal_of(const std::filesystem::path& path) {
  try {
    static_cast<void>(load(path));
    return "ok";
  } catch (const Error& error) {
    return error.code() == ErrorCode::bad_job ? error.what() : std::string("of another kind: ") + error.what();
  }
}

/// The same without the path before it.
[[nodiscard]] inline std::string refusal_without_path(const std::filesystem::path& path) {
  const std::string message = refusal_of(path);
  return message.starts_with(path.string() + ':') ? message.substr(path.string().size() + 1) : message;
}

/// One line, and nothing in it that a terminal would do rather than show.
[[nodiscard]] inline bool is_inert(std::string_view message) {
  for (const char c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  for (const std::string_view mark : {"\u009b", "\u061c", "\u200e", "\u200f", "\u2028", "\u202e", "\u2066", "\u2069"}) {
    if (message.find(mark) != std::string_view::npos) return false;
  }
  return true;
}

/// A folder for files that are better made than kept.
class Scratch {
 public:
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  /// What is said to a job file of this text, without its path.
  [[nodiscard]] std::string refusal(std::string_view text) const {
    return refusal_without_path(write("job.toml", text));
  }

 private:
  penstock::test::TemporaryFolder folder_;
};

/// A job that is right.
inline const std::string good_job =
    "[data.x]\nshape = [4]\ndtype = \"f64\"\norigin = \"ones\"\n"
    "[[task]]\nkernel = \"increment\"\nread_write = [\"x\"]\n"
    "[[save]]\ndata = \"x\"\nfile = \"x.npy\"\n";

}  // namespace penstock::jobs::test
