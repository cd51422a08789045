#include "jobs/includes.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "jobs/document.hpp"
#include "jobs/table.hpp"

namespace penstock::jobs {

namespace {

class Includer {
 public:
  Documents run(const std::filesystem::path& path) {
    read(path, path.filename().string());
    return std::move(documents_);
  }

 private:
  static constexpr std::size_t max_depth = 16;

  /// A file that was begun; `name` as it was written.
  struct File {
    std::string identity;
    std::string name;
    Position position;
  };

  void read(const std::filesystem::path& path, const std::string& name, const Position& position = {}) {
    auto document = std::make_unique<Document>(
        Document{SourceFile(path.string()), {}, {}, std::filesystem::absolute(path).parent_path()});
    document->text = read_document(path, document->source);
    document->root = parse_document(document->text, document->source);
    files_.push_back({identity_of(path), name, position});
    open_.push_back(files_.size() - 1);
    const Table table(document->source, document->root, "the job file");
    for (const Table::Text& each : table.text_or_texts("include", "a path such as \"common.toml\"")) {
      include(*document, path.parent_path() / each.value, each);
    }
    open_.pop_back();
    documents_.push_back(std::move(document));
  }

  void include(const Document& by, const std::filesystem::path& path, const Table::Text& given) {
    if (open_.size() > max_depth) {
      by.source.fail(given.position, "more than 16 files include each other, at most 16 are allowed");
    }
    if (given.value.find('\0') != std::string::npos || given.value.empty()) {
      by.source.fail(given.position, "the path " + in_quotes(given.value) + " is not that of a file");
    }
    by.source.at(given.position, [&] { check_is_file(path, SourceFile(path.string()), given.position); });
    const std::string identity = identity_of(path);
    const auto found = std::ranges::find(files_, identity, &File::identity);
    if (found != files_.end()) refuse(by, given, static_cast<std::size_t>(found - files_.begin()));
    read(path, given.value, given.position);
  }

  [[noreturn]] void refuse(const Document& by, const Table::Text& given, std::size_t file) const {
    const auto begin = std::ranges::find(open_, file);
    if (begin == open_.end()) {
      by.source.fail(given.position, in_quotes(given.value) + " is included twice, see " +
                                         line_of(files_[file].position, given.position) + "; once is enough");
    }
    std::string chain;
    for (auto each = begin; each != open_.end(); ++each) chain += files_[*each].name + " -> ";
    by.source.fail(given.position, "the files include each other: " + chain + files_[file].name);
  }

  static std::string identity_of(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::path resolved = std::filesystem::canonical(path, error);
    return error ? path.string() : resolved.string();
  }

  Documents documents_;
  std::vector<File> files_;
  std::vector<std::size_t> open_;  // the files that are being read, outermost first
};

}  // namespace

Documents read_documents(const std::filesystem::path& path) { return Includer().run(path); }

}  // namespace penstock::jobs
