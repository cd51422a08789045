// The rival `bare` of the benchmark `idle`: a thread that sleeps on a futex until it is woken, and nothing else. It has
// a core of its own, as a worker has, so that who wakes it can go on. Called and answering as bench/rivals/idle_run.hpp
// says.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <thread>

#include "bench/rivals/idle_run.hpp"

namespace penstock::bench {

namespace {

/// A number that one thread moves on and another one waits for.
class Signal {
 public:
  void raise(int number) {
    number_.store(number, std::memory_order_release);  // what came before is seen by who reads the number
    syscall(SYS_futex, &number_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  [[nodiscard]] int wait_while(int number) const {
    int now = number_.load(std::memory_order_acquire);
    for (; now == number; now = number_.load(std::memory_order_acquire)) {
      syscall(SYS_futex, &number_, FUTEX_WAIT_PRIVATE, number, nullptr, nullptr, 0);
    }
    return now;
  }

 private:
  std::atomic<int> number_{0};
};

constexpr int stop = -1;

/// The calling thread moves to that core of those which the process had at first, if there are so many.
void move_to(const cpu_set_t& cores, int index) {
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &cores) || index-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

void run_idle(const IdleRun& run) {
  Signal given;
  Signal done;
  Clock::time_point began;
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  move_to(cores, 0);
  std::thread worker([&] {
    move_to(cores, 1);
    for (int task = given.wait_while(0); task != stop; task = given.wait_while(task)) {
      began = Clock::now();
      spin_until(began + task_time);
      done.raise(task);
    }
  });
  int task = 0;
  measure_idle(run, [&] {
    given.raise(++task);
    (void)done.wait_while(task - 1);
    return began;
  });
  given.raise(stop);
  worker.join();
}

}  // namespace

}  // namespace penstock::bench

int main(int argc, char** argv) {
  penstock::bench::run_idle(penstock::bench::IdleRun(argc, argv));
  return 0;
}
