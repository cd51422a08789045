// The rival `bare` of the benchmark `tasks`, for memory only: a queue of functions as one would write it by hand, which
// knows no dependences. Called and answering as bench/rivals/task_patterns.hpp says.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>

#include "bench/rivals/task_patterns.hpp"

namespace {

using Queue = std::deque<std::function<void()>>;

void add(Queue& queue, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) queue.emplace_back([] {});
}

void run_all(Queue& queue) {
  for (; !queue.empty(); queue.pop_front()) queue.front()();
}

}  // namespace

int main(int argc, char** argv) {
  const penstock::bench::TaskRun run(argc, argv);
  Queue queue;
  if (run.pattern == "memory") {
    penstock::bench::weigh_tasks(run, [&] { add(queue, run.count); });
    run_all(queue);
  } else if (run.pattern == "resident") {
    constexpr std::int64_t window = 4096;
    penstock::bench::watch_memory(run, [&](std::int64_t count) {
      for (; count > 0; count -= window) {
        add(queue, std::min(count, window));
        run_all(queue);
      }
    });
  } else {
    return 2;
  }
  return 0;
}
