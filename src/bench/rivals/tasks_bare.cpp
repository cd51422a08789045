// The rival `bare` of the benchmark `tasks`, for the memory of a task in flight only: a queue of functions as one would
// write it by hand, which knows no dependences. Called and answering as bench/rivals/task_patterns.hpp says.
#include <cstdint>
#include <deque>
#include <functional>

#include "bench/rivals/task_patterns.hpp"

int main(int argc, char** argv) {
  const penstock::bench::TaskRun run(argc, argv);
  if (run.pattern != "memory") return 2;
  std::deque<std::function<void()>> queue;
  penstock::bench::weigh_tasks(run, [&] {
    for (std::int64_t i = 0; i < run.count; ++i) queue.emplace_back([] {});
  });
  for (; !queue.empty(); queue.pop_front()) queue.front()();
  return 0;
}
