#include "jobs/check.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>

#include "jobs/stream.hpp"
#include "npy/file.hpp"

namespace penstock::jobs {

namespace {

constexpr std::int64_t max_walked = std::int64_t{1} << 22;

/// The first access of `entry` to the family, when each step may release what it accessed of it.
std::optional<std::size_t> releasing_access(const Entry& entry, std::uint32_t family) {
  std::optional<std::size_t> first;
  for (std::size_t index = 0; index < entry.accesses.size(); ++index) {
    if (entry.accesses[index].family != family) continue;
    if (first && entry.accesses[index].element != entry.accesses[*first].element) return std::nullopt;
    if (!first) first = index;
  }
  if (!first || !entry.accesses[*first].element.is_injective(entry.loop.variables())) return std::nullopt;
  return first;
}

/// One path that a save writes: the step that makes it, and the path's hash instead of its text, which is made anew
/// when needed.
struct SavedPath {
  std::size_t hash;
  std::uint32_t entry;
  std::int64_t step;
};

class PathCheck {
 public:
  explicit PathCheck(const Plan& plan) : plan_(plan) {}

  void run() {
    for (std::uint32_t number = 0; number < plan_.entries.size(); ++number) collect(number);
    std::ranges::sort(paths_, {}, [](const SavedPath& each) { return std::tuple(each.hash, each.entry, each.step); });
    for (std::size_t index = 1; index < paths_.size(); ++index) check_same(index);
    for (const SavedPath& each : paths_) check_folders(each);
  }

 private:
  void collect(std::uint32_t number) {
    const Entry& entry = plan_.entries[number];
    if (entry.kind != Entry::Kind::save) return;
    if (static_cast<std::int64_t>(paths_.size()) + entry.loop.steps() > max_walked) {
      plan_.source.fail(entry.position, "the job saves more than 4194304 files, at most so many are allowed");
    }
    entry.loop.first(indices_);
    for (std::int64_t step = 0; step < entry.loop.steps(); ++step, entry.loop.advance(indices_)) {
      entry.path.make(indices_, path_);
      paths_.push_back({std::hash<std::string>{}(path_), number, step});
    }
  }

  std::string text_of(const SavedPath& saved) const {
    const Entry& entry = plan_.entries[saved.entry];
    std::vector<std::int64_t> indices;
    entry.loop.at(saved.step, indices);
    std::string text;
    entry.path.make(indices, text);
    return text;
  }

  void check_same(std::size_t index) const {
    const SavedPath& here = paths_[index];
    for (std::size_t other = index; other-- > 0 && paths_[other].hash == here.hash;) {
      const std::string text = text_of(here);
      if (text_of(paths_[other]) == text) fail(here, paths_[other], in_quotes(text) + " is written twice");
    }
  }

  /// `a/b` needs a folder `a`, so no other save may write a file `a`.
  void check_folders(const SavedPath& here) const {
    const std::string text = text_of(here);
    for (std::size_t slash = text.find('/'); slash != std::string::npos; slash = text.find('/', slash + 1)) {
      const std::string folder = text.substr(0, slash);
      auto found = std::ranges::lower_bound(paths_, std::hash<std::string>{}(folder), {}, &SavedPath::hash);
      for (; found != paths_.end() && found->hash == std::hash<std::string>{}(folder); ++found) {
        if (text_of(*found) == folder)
          fail(here, *found, in_quotes(folder) + " is a folder of " + in_quotes(text) + " and a file");
      }
    }
  }

  [[noreturn]] void fail(const SavedPath& here, const SavedPath& other, const std::string& what) const {
    const Entry& entry = plan_.entries[here.entry];
    const std::string line = std::to_string(plan_.entries[other.entry].path_position.line);
    plan_.source.fail(entry.path_position, "the path " + what +
                                               (here.entry == other.entry ? " by this entry" : ", see line " + line) +
                                               "; each step needs a path of its own");
  }

  const Plan& plan_;
  std::vector<SavedPath> paths_;
  std::vector<std::int64_t> indices_;
  std::string path_;
};

/// What an entry reads is made by an origin, an earlier entry, or its own earlier steps.
void check_order_of_entries(const Plan& plan) {
  std::vector<bool> written(plan.families.size());
  for (std::size_t family = 0; family < plan.families.size(); ++family) {
    written[family] = plan.families[family].origin != nullptr;
  }
  for (const Entry& entry : plan.entries) {
    for (const EntryAccess& access : entry.accesses) {
      if (access.mode == AccessMode::write) written[access.family] = true;
    }
    for (const EntryAccess& access : entry.accesses) {
      if (written[access.family]) continue;
      plan.source.fail(access.position,
                       "data " + plan.families[access.family].name +
                           " is read before anything wrote it, an origin or an earlier task is needed");
    }
  }
}

}  // namespace

void mark_last_uses(Plan& plan) {
  std::vector<bool> named(plan.families.size());
  for (auto entry = plan.entries.rbegin(); entry != plan.entries.rend(); ++entry) {
    for (const EntryAccess& access : entry->accesses) {
      if (named[access.family]) continue;
      named[access.family] = true;
      entry->last_names.push_back(access.family);
      if (const auto index = releasing_access(*entry, access.family)) entry->last_uses.push_back(*index);
    }
  }
}

void check_paths(const Plan& plan) { PathCheck(plan).run(); }

void check_order(const Plan& plan) {
  check_order_of_entries(plan);
  std::int64_t steps = 0;
  for (const Entry& entry : plan.entries) {
    if (steps + entry.loop.steps() > max_walked) return;
    steps += entry.loop.steps();
  }
  Stream walk(std::shared_ptr<const Plan>(std::shared_ptr<const Plan>(), &plan), Stream::Texts::omitted);
  Step step;
  while (walk.next(step)) {
  }
}

void check_input_files(const Plan& plan) {
  for (const Family& family : plan.families) {
    if (family.folder.empty()) continue;
    std::vector<std::int64_t> indices;
    std::string path;
    std::string previous;
    family.loop.first(indices);
    do {
      make_input_path(family, indices, path);
      if (path == previous) continue;
      plan.source.at(family.path_position, [&] {
        const ArrayType type = npy::read_type(path);
        if (type == family.type) return;
        const auto text = [](const ArrayType& each) {
          return std::string(name_of(each.dtype)) + ' ' + each.shape.to_string();
        };
        throw Mistake(path + " holds " + text(type) + ", [data." + family.name + "] says " + text(family.type));
      });
      std::swap(previous, path);
    } while (family.loop.advance(indices));
  }
}

}  // namespace penstock::jobs
