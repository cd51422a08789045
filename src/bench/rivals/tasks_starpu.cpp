// The rival `starpu` of the benchmark `tasks`: StarPU's tasks with the scheduler lws and a handle for each datum.
// Called and answering as bench/rivals/task_patterns.hpp says. Tasks cannot be nested: the tree is the static one.
#include <starpu.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "bench/rivals/task_patterns.hpp"

namespace penstock::bench {

namespace {

void do_nothing(void** /*buffers*/, void* /*arguments*/) {}

std::atomic<bool> gate_is_open{false};
void wait_for_gate(void** /*buffers*/, void* /*arguments*/) { gate_is_open.wait(false); }

starpu_codelet codelet(starpu_cpu_func_t body, int buffers) {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.cpu_funcs[0] = body;
  made.nbuffers = buffers;
  for (int i = 0; i + 1 < buffers; ++i) made.modes[i] = STARPU_R;
  if (buffers > 0) made.modes[buffers - 1] = STARPU_W;
  return made;
}

starpu_codelet nothing = codelet(do_nothing, 0);
starpu_codelet source = codelet(do_nothing, 1);
starpu_codelet follow = codelet(do_nothing, 2);
starpu_codelet join = codelet(do_nothing, 3);
starpu_codelet node = codelet(do_nothing, 4);
starpu_codelet gate = codelet(wait_for_gate, 1);
starpu_codelet step = codelet(do_nothing, 1);
starpu_codelet look = codelet(do_nothing, 1);

void check(int result) {
  if (result != 0) std::exit(1);
}

/// A datum that StarPU allocates; it dies after the last task that uses it.
class Datum {
 public:
  Datum() { starpu_variable_data_register(&handle_, -1, 0, sizeof(float)); }
  Datum(Datum&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Datum& operator=(Datum&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Datum() {
    if (handle_ != nullptr) starpu_data_unregister_submit(handle_);
  }
  [[nodiscard]] starpu_data_handle_t handle() const { return handle_; }

 private:
  starpu_data_handle_t handle_ = nullptr;
};

void independent(std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) check(starpu_task_insert(&nothing, 0));
}

void chain(std::int64_t count) {
  const Datum x;
  check(starpu_task_insert(&source, STARPU_W, x.handle(), 0));
  for (std::int64_t i = 1; i < count; ++i) check(starpu_task_insert(&step, STARPU_RW, x.handle(), 0));
}

void random_graph(std::int64_t count) {
  std::array<Datum, reach> made;
  const auto datum = [&](std::int64_t i) -> Datum& { return made[static_cast<std::size_t>(i % reach)]; };
  for (std::int64_t i = 0; i < count; ++i) {
    Datum x;
    if (i < reach) {
      check(starpu_task_insert(&source, STARPU_W, x.handle(), 0));
    } else {
      const auto [a, b, c] = inputs_of(i);
      check(starpu_task_insert(&node, STARPU_R, datum(a).handle(), STARPU_R, datum(b).handle(), STARPU_R,
                               datum(c).handle(), STARPU_W, x.handle(), 0));
    }
    datum(i) = std::move(x);
  }
}

/// The tree below node i, one before its children and one after; returns what it made.
Datum submit_tree(const Tree& tree, std::int64_t i, const Datum& parent) {
  Datum forked;
  check(starpu_task_insert(&follow, STARPU_R, parent.handle(), STARPU_W, forked.handle(), 0));
  if (2 * i + 1 >= tree.static_nodes) return forked;
  const Datum left = submit_tree(tree, 2 * i + 1, forked);
  const Datum right = submit_tree(tree, 2 * i + 2, forked);
  Datum joined;
  check(starpu_task_insert(&join, STARPU_R, left.handle(), STARPU_R, right.handle(), STARPU_W, joined.handle(), 0));
  return joined;
}

void fork_join(std::int64_t count) {
  const Datum seed;
  check(starpu_task_insert(&source, STARPU_W, seed.handle(), 0));
  submit_tree(Tree(count), 0, seed);
}

void submit(const TaskRun& run, std::int64_t count) {
  if (run.pattern == "independent") independent(count);
  if (run.pattern == "chain") chain(count);
  if (run.pattern == "random") random_graph(count);
  if (run.pattern == "fork-join") fork_join(count);
  check(starpu_task_wait_for_all());
}

/// Tasks that wait for one that has not ended.
void weigh(const TaskRun& run) {
  const Datum x;
  check(starpu_task_insert(&gate, STARPU_W, x.handle(), 0));
  weigh_tasks(run, [&] {
    for (std::int64_t i = 0; i < run.count; ++i) check(starpu_task_insert(&look, STARPU_R, x.handle(), 0));
  });
  gate_is_open = true;
  gate_is_open.notify_all();
  check(starpu_task_wait_for_all());
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  using namespace penstock::bench;
  const TaskRun run(argc, argv);
  step.modes[0] = STARPU_RW;
  look.modes[0] = STARPU_R;
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = run.workers;
  conf.ncuda = 0;
  conf.nopencl = 0;
  conf.sched_policy_name = "lws";
  if (starpu_init(&conf) != 0) return 1;
  if (run.pattern == "memory")
    weigh(run);
  else
    time_tasks(run, [&](std::int64_t count) { submit(run, count); });
  starpu_shutdown();
  return 0;
}
