// The rival `tbb` of the benchmark `tasks`: oneTBB's task_group where tasks are independent or nested, its flow graph,
// which is made before it runs, where they follow each other. Called and answering as bench/rivals/task_patterns.hpp
// says.
#include <atomic>
#include <cstdint>
#include <deque>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "bench/rivals/task_patterns.hpp"

namespace penstock::bench {

namespace {

namespace tbb = oneapi::tbb;
using Message = tbb::flow::continue_msg;
using Node = tbb::flow::continue_node<Message>;

constexpr auto nothing = [](const Message&) {};

void independent(std::int64_t count) {
  tbb::task_group group;
  for (std::int64_t i = 0; i < count; ++i) group.run([] {});
  group.wait();
}

void chain(std::int64_t count) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  for (std::int64_t i = 0; i < count; ++i) {
    nodes.emplace_back(graph, nothing);
    if (i > 0) tbb::flow::make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  nodes.front().try_put({});
  graph.wait_for_all();
}

void random_graph(std::int64_t count) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  for (std::int64_t i = 0; i < count; ++i) {
    nodes.emplace_back(graph, nothing);
    if (i < reach) continue;
    for (const std::int64_t from : inputs_of(i)) {
      tbb::flow::make_edge(nodes[static_cast<std::size_t>(from)], nodes.back());
    }
  }
  for (std::size_t i = 0; i < nodes.size() && i < reach; ++i) nodes[i].try_put({});
  graph.wait_for_all();
}

void visit(std::int64_t node, std::int64_t nodes) {
  tbb::task_group group;
  for (const std::int64_t child : {2 * node + 1, 2 * node + 2}) {
    if (child < nodes) group.run([child, nodes] { visit(child, nodes); });
  }
  group.wait();
}

void fork_join(std::int64_t count) {
  tbb::task_group group;
  group.run([count] { visit(0, Tree(count).nodes); });
  group.wait();
}

/// Nodes that wait for one that has not ended.
void weigh(const TaskRun& run) {
  std::atomic<bool> gate_is_open{false};
  tbb::flow::graph graph;
  Node gate(graph, [&](const Message&) { gate_is_open.wait(false); });
  std::deque<Node> nodes;
  weigh_tasks(run, [&] {
    for (std::int64_t i = 0; i < run.count; ++i) {
      nodes.emplace_back(graph, nothing);
      tbb::flow::make_edge(gate, nodes.back());
    }
  });
  gate.try_put({});
  gate_is_open = true;
  gate_is_open.notify_all();
  graph.wait_for_all();
}

void submit(const TaskRun& run, std::int64_t count) {
  if (run.pattern == "independent") independent(count);
  if (run.pattern == "chain") chain(count);
  if (run.pattern == "random") random_graph(count);
  if (run.pattern == "fork-join") fork_join(count);
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  const TaskRun run(argc, argv);
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(run.workers));
  oneapi::tbb::task_arena arena(run.workers);
  arena.execute([&] {
    if (run.pattern == "memory")
      weigh(run);
    else
      time_tasks(run, [&](std::int64_t count) { submit(run, count); });
  });
  return 0;
}
