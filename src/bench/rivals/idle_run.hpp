/// What the programs of the benchmark `idle` share: how they are called, what they measure and answer. Header only,
/// without the library. Main thread; blocks for a second, and 20 ms a round.
///
///     PROGRAM ROUNDS WORKERS    {"busy": share of a core while there is no work,
///                                "start": median seconds from handing a task over to its beginning}
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "bench/timing.hpp"

namespace penstock::bench {

struct IdleRun {
  int rounds = 0;
  int workers = 1;

  /// Ends the process with 2 when the arguments are not those named above.
  IdleRun(int argc, char** argv) {
    if (argc != 3) std::exit(2);
    rounds = std::atoi(argv[1]);
    workers = std::atoi(argv[2]);
    if (rounds < 1 || workers < 1) std::exit(2);
  }
};

/// Of all threads of this process.
inline double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// All that was handed over has ended.
inline double share_of_core() {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto begin = Clock::now();
  const double used = processor_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return (processor_seconds() - used) / seconds_since(begin);
}

/// `start()` hands a task over and returns when it began.
template <class Start>
void measure_idle(const IdleRun& run, Start start) {
  std::vector<double> delays;
  for (int round = 0; round < run.rounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto begin = Clock::now();
    const Clock::time_point began = start();
    delays.push_back(std::chrono::duration<double>(began - begin).count());
  }
  const double busy = share_of_core();
  std::ranges::nth_element(delays, delays.begin() + run.rounds / 2);
  std::printf("{\"busy\": %.9f, \"start\": %.9f}\n", busy, delays[static_cast<std::size_t>(run.rounds) / 2]);
}

/// How long a task takes: more than handing it over does, so that it is worth it.
inline constexpr std::chrono::microseconds task_time{5};

}  // namespace penstock::bench
