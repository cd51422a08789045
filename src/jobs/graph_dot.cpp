#include "jobs/graph_dot.hpp"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

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
        makers_.insert(step.datum, {});
        return;
      case Step::Kind::release:
        makers_.erase(step.datum);
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
    return all + combining_ + edges_ + "}\n";
  }

 private:
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
      const std::string datum = job_.datum_name(step.accesses[k].datum);
      std::vector<std::string>& makers = makers_.at(step.accesses[k].datum);
      if (makers.size() > 1) combine(makers, datum);
      if (!makers.empty()) add_edge(makers.front(), task_node(), datum);
    }
    for (const DatumAccess& access : step.accesses) {
      if (!writes(access.mode)) continue;
      std::vector<std::string>& makers = makers_.at(access.datum);
      if (access.mode != AccessMode::reduce) makers.clear();
      makers.push_back(task_node());
    }
  }

  /// What several tasks have made is one thing from now on.
  void combine(std::vector<std::string>& makers, const std::string& datum) {
    const std::string node = std::string("c").append(std::to_string(combined_++));
    combining_ += "  " + node + " [label=\"combine\\n" + dot_escaped(datum) + "\", shape=ellipse];\n";
    for (const std::string& maker : makers) add_edge(maker, node, datum);
    makers.assign(1, node);
  }

  void add_edge(const std::string& from, const std::string& to, const std::string& datum) {
    edges_ += "  " + from + " -> " + to + " [label=\"" + dot_escaped(datum) + "\"];\n";
  }

  [[nodiscard]] std::string task_node() const { return std::string("t").append(std::to_string(tasks_)); }

  static bool is_repeated(std::span<const DatumAccess> before, Datum datum) {
    for (const DatumAccess& access : before) {
      if (access.datum == datum) return true;
    }
    return false;
  }

  const Job& job_;
  DatumTable<std::vector<std::string>> makers_;  ///< the nodes that made the present version
  std::map<std::uint32_t, Box> boxes_;           ///< by line
  std::string combining_;
  std::string edges_;
  std::int64_t tasks_ = 0;
  std::int64_t combined_ = 0;
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
