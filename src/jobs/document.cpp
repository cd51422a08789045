#include "jobs/document.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace penstock::jobs {

namespace {

constexpr off_t max_bytes = off_t{64} << 20;

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : number_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail_to_read(const SourceFile& source) {
  source.fail({}, "the file cannot be read: " + std::generic_category().message(errno));
}

/// Finds keys of very many parts before the parser does: it makes a table inside a table of each part, and frees them
/// by recursion. (Nested values it limits itself.) Walks over strings and comments as TOML has them.
class KeyDepthCheck {
 public:
  KeyDepthCheck(std::string_view text, const SourceFile& source) : text_(text), source_(source) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        skip_to("\n");
      else if (c == '"' || c == '\'')
        skip_string(c);
      else
        step(c);
    }
  }

 private:
  static constexpr int max_parts = 20;

  void step(char c) {
    const bool in_key = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == ' ' || c == '\t';
    if (c == '.' && ++dots_ >= max_parts)
      source_.fail(position(), "a key has more than 20 parts, at most 20 are allowed");
    if (c != '.' && !in_key) dots_ = 0;
    ++at_;
  }

  void skip_string(char quote) {
    const std::string_view rest = text_.substr(at_);
    const bool is_long = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
    const std::string_view delimiter = rest.substr(0, is_long ? 3 : 1);
    at_ += delimiter.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(delimiter)) {
      if (!is_long && text_[at_] == '\n') return;  // unterminated: the parser will say so
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ += delimiter.size();
    while (is_long && at_ < text_.size() && text_[at_] == quote) ++at_;  // """a""""" ends in two quotes of its own
  }

  void skip_to(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    at_ = found == std::string_view::npos ? text_.size() : found;
  }

  [[nodiscard]] Position position() const {
    Position result;
    for (const char c : text_.substr(0, at_)) {
      if (c == '\n')
        result = {result.line + 1, 1};
      else
        ++result.column;
    }
    return result;
  }

  std::string_view text_;
  const SourceFile& source_;
  std::size_t at_ = 0;
  int dots_ = 0;
};

/// What to write instead, where the parser only says what it did not expect.
std::string_view hint_for(std::string_view description) {
  const auto says = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
  if (says("could not determine value type")) return ", texts stand in quotes, \" or '";
  if (says("unescaped control characters")) return ", a quote may be missing, or write \\n and the like";
  if (says("cannot redefine")) return ", each stands once";
  return "";
}

}  // namespace

void check_is_file(const std::filesystem::path& path, const SourceFile& source, const Position& position) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    source.fail(position, "there is no such file, the path of a job file is needed");
  }
  if (!std::filesystem::is_regular_file(status)) {
    source.fail(position, "this is not a regular file, a job file is needed");
  }
}

std::string read_document(const std::filesystem::path& path, const SourceFile& source) {
  check_is_file(path, source, {});
  const Descriptor file(path);  // opened without blocking, whatever has taken the file's place by now
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) fail_to_read(source);
  if (!S_ISREG(status.st_mode)) source.fail({}, "this is not a regular file, a job file is needed");
  if (status.st_size > max_bytes) source.fail({}, "the file is larger than 64 MiB, at most 64 MiB are read");

  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file.number(), text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR) fail_to_read(source);
    if (got == 0) source.fail({}, "the file became shorter while it was read, it must stay as it is");
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return text;
}

toml::table parse_document(std::string_view text, const SourceFile& source) {
  KeyDepthCheck(text, source).run();
  try {
    return toml::parse(text, source.name());
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    source.fail({at.line, at.column},
                "this is not TOML: " + std::string(error.description()) + std::string(hint_for(error.description())));
  }
}

}  // namespace penstock::jobs
