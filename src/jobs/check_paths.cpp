#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "jobs/check.hpp"
#include "jobs/integers.hpp"
#include "jobs/walker.hpp"

namespace penstock::jobs {

namespace {

/// The paths that one entry writes, in the order of its steps.
class Paths {
 public:
  Paths(const Plan& plan, std::uint32_t entry) : plan_(plan), entry_(plan.entries[entry]), walker_(plan, entry) {}

  /// Whether there is a next one.
  bool next(std::string& path) {
    for (Walker::Event event = walker_.next(); event != Walker::Event::finished; event = walker_.next()) {
      if (event != Walker::Event::step || !is_first_tile()) continue;
      entry_.path.make(walker_.indices(), path);
      return true;
    }
    return false;
  }

 private:
  /// A tiled array has one path for all its tiles.
  [[nodiscard]] bool is_first_tile() const {
    if (entry_.kind != Entry::Kind::save_array) return true;
    const auto& values = walker_.indices().values;
    const std::size_t end = entry_.scope->variables().size();
    for (std::size_t k = end - plan_.families[entry_.accesses.front().family].tile_axes; k < end; ++k) {
      if (values[k] != 0) return false;
    }
    return true;
  }

  const Plan& plan_;
  const Entry& entry_;
  Walker walker_;
};

/// One path that a save writes: its hash, in place of its text, and where it comes from.
struct SavedPath {
  std::size_t hash;
  std::uint32_t entry;
  std::int64_t number;  ///< among the entry's paths
};

class PathCheck {
 public:
  explicit PathCheck(const Plan& plan) : plan_(plan) {}

  void run() {
    check_effort();
    for (std::uint32_t entry = 0; entry < plan_.entries.size(); ++entry) collect(entry);
    std::ranges::sort(paths_, {}, [](const SavedPath& each) { return std::tuple(each.hash, each.entry, each.number); });
    for (std::size_t index = 1; index < paths_.size(); ++index) check_same(index);
    mark_hashes();
    for (const std::uint32_t entry : with_folders_) check_folders(entry);
  }

 private:
  static constexpr std::int64_t max_files = max_walked;
  static constexpr std::int64_t max_steps = 16 * max_walked;

  /// Before any of the loops is walked through.
  void check_effort() const {
    std::int64_t steps = 0;
    for (const Entry& entry : plan_.entries) {
      if (entry.kind == Entry::Kind::task) continue;
      steps = capped_sum(steps, entry.size.passed);
      if (steps <= max_steps) continue;
      plan_.source.fail(entry.position,
                        "the loops around the saves so far have more than 2^26 steps, at most so many are allowed");
    }
  }

  void collect(std::uint32_t number) {
    const Entry& entry = plan_.entries[number];
    if (entry.kind == Entry::Kind::task) return;
    if (!entry.scope->has_condition() && count_files(plan_, number) > max_files) fail_count(entry);
    Paths paths(plan_, number);
    std::string path;
    bool has_folder = false;
    for (std::int64_t saved = 0; paths.next(path); ++saved) {
      if (static_cast<std::int64_t>(paths_.size()) == max_files) fail_count(entry);
      plan_.source.at(entry.path_position, [&] { check_inside(path); });
      paths_.push_back({std::hash<std::string_view>{}(path), number, saved});
      has_folder = has_folder || path.find('/') != std::string::npos;
    }
    if (has_folder) with_folders_.push_back(number);
  }

  /// Most folders have the hash of no path; that is to be known without a search, of which each step would be a cache
  /// miss. At 32 bits a path one in 32 is looked for in vain.
  void mark_hashes() {
    if (with_folders_.empty()) return;
    has_hash_.resize(std::bit_ceil(32 * paths_.size()));
    for (const SavedPath& each : paths_) has_hash_[each.hash % has_hash_.size()] = true;
  }

  [[noreturn]] void fail_count(const Entry& entry) const {
    plan_.source.fail(entry.position, "the job saves more than 4194304 files, at most so many are allowed");
  }

  [[nodiscard]] std::string text_of(const SavedPath& saved) const {
    Paths paths(plan_, saved.entry);
    std::string text;
    for (std::int64_t number = 0; number <= saved.number; ++number) paths.next(text);
    return text;
  }

  void check_same(std::size_t index) const {
    const SavedPath& here = paths_[index];
    for (std::size_t other = index; other-- > 0 && paths_[other].hash == here.hash;) {
      const std::string text = text_of(here);
      if (text_of(paths_[other]) == text) fail(here.entry, paths_[other].entry, in_quotes(text) + " is written twice");
    }
  }

  /// `a/b` needs a folder `a`, so no other save may write a file `a`.
  void check_folders(std::uint32_t entry) const {
    Paths paths(plan_, entry);
    std::string path;
    std::string previous;
    while (paths.next(path)) {
      const std::size_t end = path.find_last_of('/');
      const std::string_view folder = std::string_view(path).substr(0, end == std::string::npos ? 0 : end);
      if (folder == previous) continue;
      for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        check_folder(entry, path, std::string_view(path).substr(0, slash));
      }
      previous = folder;
    }
  }

  void check_folder(std::uint32_t entry, std::string_view path, std::string_view folder) const {
    const std::size_t hash = std::hash<std::string_view>{}(folder);
    if (!has_hash_[hash % has_hash_.size()]) return;
    auto found = std::ranges::lower_bound(paths_, hash, {}, &SavedPath::hash);
    for (; found != paths_.end() && found->hash == hash; ++found) {
      if (text_of(*found) == folder)
        fail(entry, found->entry, in_quotes(folder) + " is a folder of " + in_quotes(path) + " and a file");
    }
  }

  [[noreturn]] void fail(std::uint32_t here, std::uint32_t other, const std::string& what) const {
    const Position& place = plan_.entries[here].path_position;
    const std::string line = line_of(plan_.entries[other].path_position, place);
    plan_.source.fail(place, "the path " + what + (here == other ? " by this entry" : ", see " + line) +
                                 "; each step needs a path of its own");
  }

  const Plan& plan_;
  std::vector<SavedPath> paths_;
  std::vector<std::uint32_t> with_folders_;  ///< entries
  std::vector<bool> has_hash_;               ///< by hash modulo size: some path may have it
};

}  // namespace

void check_paths(const Plan& plan) { PathCheck(plan).run(); }

}  // namespace penstock::jobs
