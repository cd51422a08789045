#include "jobs/graph_dot.hpp"

#include <map>
#include <string_view>
#include <utility>

#include <penstock/error.hpp>

#include "jobs/datum_table.hpp"
#include "jobs/task_text.hpp"

namespace penstock::jobs {

namespace {

class Picture {
 public:
  explicit Picture(const Job& job) : job_(job) {}

  void take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::make:
        writers_.insert(step.datum, nobody);
        return;
      case Step::Kind::release:
        writers_.erase(step.datum);
        return;
      case Step::Kind::task:
      case Step::Kind::save:
        add_edges(step);
        add_node(step);
        ++tasks_;
        return;
      case Step::Kind::pause:
        return;
    }
  }

  [[nodiscard]] std::int64_t tasks() const { return tasks_; }

  [[nodiscard]] std::string text() const {
    std::string all = "digraph \"" + dot_escaped(job_.name()) + "\" {\n  node [shape=box];\n";
    for (const auto& [line, box] : boxes_) {
      all += "  subgraph cluster_" + std::to_string(line) + " {\n    label=\"" + dot_escaped(box.place) + "\";\n";
      all += box.nodes + "  }\n";
    }
    return all + edges_ + "}\n";
  }

 private:
  static constexpr std::int64_t nobody = -1;
  struct Box {
    std::string place;
    std::string nodes;
  };

  void add_node(const Step& step) {
    TaskText task = task_text(job_, step);
    Box& box = boxes_[step.place.line];
    box.nodes += "    t" + std::to_string(tasks_) + " [label=\"";
    box.nodes += dot_escaped(std::to_string(tasks_) + ' ' + task.name + '\n' + task.accesses) + "\"];\n";
    box.place = std::move(task.place);
  }

  /// The edges to the task, and what it writes from now on is its.
  void add_edges(const Step& step) {
    for (std::size_t k = 0; k < step.accesses.size(); ++k) {
      if (!reads(step.accesses[k].mode) || is_repeated(step.accesses.first(k), step.accesses[k].datum)) continue;
      add_edge(writers_.at(step.accesses[k].datum), job_.datum_name(step.accesses[k].datum));
    }
    for (const DatumAccess& access : step.accesses) {
      if (writes(access.mode)) writers_.at(access.datum) = tasks_;
    }
  }

  void add_edge(std::int64_t from, const std::string& datum) {
    if (from == nobody) return;
    edges_ +=
        "  t" + std::to_string(from) + " -> t" + std::to_string(tasks_) + " [label=\"" + dot_escaped(datum) + "\"];\n";
  }

  static bool is_repeated(std::span<const DatumAccess> before, Datum datum) {
    for (const DatumAccess& access : before) {
      if (access.datum == datum) return true;
    }
    return false;
  }

  const Job& job_;
  DatumTable<std::int64_t> writers_;    ///< who made the present version
  std::map<std::uint32_t, Box> boxes_;  ///< by line
  std::string edges_;
  std::int64_t tasks_ = 0;
};

}  // namespace

std::string dot_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += (c >= 0 && c < ' ') || c == '\x7f' ? ' ' : c;
    }
  }
  return escaped;
}

std::string graph_dot(const Job& job, const Watch& watch, std::int64_t tasks_max) {
  constexpr std::int64_t tasks_between_watches = 1000;
  Picture picture(job);
  Stream stream = job.stream();
  for (Step step; stream.next(step);) {
    picture.take(step);
    if (picture.tasks() > tasks_max) {
      throw Error(ErrorCode::invalid_argument, "the graph has more than " + std::to_string(tasks_max) +
                                                   " tasks, too many to draw; a smaller job of the same form may do");
    }
    const bool is_due = picture.tasks() % tasks_between_watches == 0 || step.kind == Step::Kind::pause;
    if (watch && is_due) watch(picture.tasks());
  }
  return picture.text();
}

}  // namespace penstock::jobs
