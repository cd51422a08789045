// The benchmark `idle` on penstock: what the workers use while there is nothing to do, and how soon one of them begins
// a task that comes then. Called and answering as bench/rivals/idle_run.hpp says.
#include <penstock/penstock.hpp>

#include "bench/programs/traced.hpp"
#include "bench/rivals/idle_run.hpp"

namespace penstock::bench {

namespace {

Clock::time_point began;  // written by a task, read when it has ended
const auto look_at_the_clock = kernel("bench.clock", [](Out<float> x) {
  began = Clock::now();
  spin_until(began + task_time);
  x[0] = 1.0F;
});

void run_idle(Runtime& runtime, const IdleRun& run) {
  const auto x = runtime.array<float>({1});
  measure_idle(run, [&] {
    runtime.submit(look_at_the_clock, write(x));
    runtime.wait(x);
    return began;
  });
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  const penstock::bench::IdleRun run(argc, argv);
  return penstock::run(
      argc, argv, [&](penstock::Runtime& runtime) { penstock::bench::run_idle(runtime, run); },
      penstock::bench::traced({.workers = run.workers, .use_cuda = false}));
}
