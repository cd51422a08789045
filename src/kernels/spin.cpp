// spin and sleep: tasks of known length, for measuring what everything around them costs.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

namespace {

using Clock = std::chrono::steady_clock;

/// Readings of the clock are tens of nanoseconds apart. A longer gap is time in which another thread had the core; it
/// counts as no more than this, or two tasks on one core would seem to run at once.
constexpr Clock::duration gap_max = std::chrono::microseconds(5);
constexpr double microseconds_max = 1e12;

Clock::duration duration_of(const TaskContext& context) {
  const double microseconds = std::get<double>(context.parameters[0]);
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::micro>(microseconds));
}

void run_spin(const TaskContext& context) {
  auto left = duration_of(context);
  for (auto last = Clock::now(); left > Clock::duration::zero();) {
    const auto now = Clock::now();
    left -= std::min(now - last, gap_max);
    last = now;
  }
}

void run_sleep(const TaskContext& context) { std::this_thread::sleep_for(duration_of(context)); }

std::string check_microseconds(Accesses, Parameters parameters) {
  const double microseconds = std::get<double>(parameters[0]);
  if (microseconds >= 0.0 && microseconds <= microseconds_max) return {};
  return "microseconds is " + to_text(microseconds) + ", but needs to be from 0 to " + to_text(microseconds_max);
}

}  // namespace

KernelDescription spin_kernel() {
  return {.name = "spin",
          .summary = "Burns a core's time, to about 0.1 us, and touches no data.",
          .accesses = {},
          .parameters = {real("microseconds", std::nullopt, "how long, in us of the core's time")},
          .cpu = run_spin,
          .check = check_microseconds};
}

KernelDescription sleep_kernel() {
  return {.name = "sleep",
          .summary = "Keeps a core's slot without using the core, and touches no data.",
          .accesses = {},
          .parameters = {real("microseconds", std::nullopt, "how long at least, in us")},
          .cpu = run_sleep,
          .check = check_microseconds};
}

}  // namespace penstock::kernels
