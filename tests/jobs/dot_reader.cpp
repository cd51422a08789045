#include "jobs/dot_reader.hpp"

#include <charconv>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace penstock::jobs::test {

namespace {

/// One line, read from left to right.
class Line {
 public:
  explicit Line(std::string_view text) : whole_(text), rest_(text) {}

  [[nodiscard]] bool take_if(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }
  void take(std::string_view literal) {
    if (!take_if(literal)) fail();
  }
  void end() const {
    if (!rest_.empty()) fail();
  }
  std::size_t number() {
    std::size_t value = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (read.ec != std::errc{}) fail();
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    return value;
  }
  /// A text in double quotes, as GraphViz shows it in a label.
  std::string quoted() {
    take("\"");
    std::string text;
    while (!take_if("\"")) text += shown_character();
    return text;
  }
  [[noreturn]] void fail() const { throw std::runtime_error("unexpected: " + std::string(whole_)); }

 private:
  char shown_character() {
    if (take_if("\\n")) return '\n';
    if (take_if("\\\"")) return '"';
    if (take_if("\\\\")) return '\\';
    if (take_if("&amp;")) return '&';
    if (rest_.empty() || rest_.front() == '\\' || rest_.front() == '&') fail();
    const char character = rest_.front();
    rest_.remove_prefix(1);
    return character;
  }

  std::string_view whole_;
  std::string_view rest_;
};

struct Reader {
  std::map<std::size_t, std::pair<std::string, std::string>> nodes;  // label and box
  DotGraph graph;
  std::string box;
  bool in_box = false;

  void read_line(std::string_view text) {
    Line line(text);
    if (line.take_if("digraph ")) {
      graph.name = line.quoted();
      line.take(" {");
    } else if (!in_box && line.take_if("  subgraph cluster_")) {
      line.number();
      line.take(" {");
      in_box = true;
    } else if (in_box && line.take_if("    label=")) {
      box = line.quoted();
      line.take(";");
    } else if (in_box && line.take_if("  }")) {
      in_box = false;
    } else if (line.take_if(in_box ? "    t" : "  t")) {
      read_node_or_edge(line);
    } else if (!line.take_if("  node [shape=box];")) {
      line.take("}");
    }
    line.end();
  }

  void read_node_or_edge(Line& line) {
    const std::size_t number = line.number();
    if (!in_box && line.take_if(" -> t")) {
      const std::size_t to = line.number();
      line.take(" [label=");
      graph.edges.emplace_back(number, to, line.quoted());
    } else {
      line.take(" [label=");
      if (!nodes.try_emplace(number, line.quoted(), in_box ? box : "").second) line.fail();
    }
    line.take("];");
  }
};

}  // namespace

DotGraph read_dot(const std::string& text) {
  Reader reader;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) reader.read_line(line);
  for (const auto& [number, node] : reader.nodes) {
    if (number != reader.graph.labels.size()) throw std::runtime_error("nodes are not numbered from 0");
    reader.graph.labels.push_back(node.first);
    reader.graph.boxes.push_back(node.second);
  }
  for (const auto& [from, to, label] : reader.graph.edges) {
    if (from >= to || to >= reader.nodes.size()) throw std::runtime_error("an edge from nowhere: " + label);
  }
  if (!text.ends_with("\n}\n") || reader.in_box) throw std::runtime_error("no end");
  return std::move(reader.graph);
}

}  // namespace penstock::jobs::test
