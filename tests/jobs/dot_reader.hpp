/// Reads back what graph_dot() writes, and that strictly: each line has to be one of the forms that are allowed where
/// it stands. What does not fit throws std::runtime_error.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace penstock::jobs::test {

struct DotGraph {
  std::string name;
  std::vector<std::string> labels;  ///< of t0, t1, ..., as a person sees them
  std::vector<std::string> boxes;   ///< the label of the box that each is in; "" outside of all
  std::vector<std::tuple<std::size_t, std::size_t, std::string>> edges;
};

[[nodiscard]] DotGraph read_dot(const std::string& text);

}  // namespace penstock::jobs::test
