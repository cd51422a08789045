/// What the programs that are measured say of themselves: seconds, and memory. Header only, without the library, so
/// that every rival can use it. Any thread.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace penstock::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Keeps the core busy until then.
inline void spin_until(Clock::time_point end) {
  while (Clock::now() < end) {
  }
}

/// Of this process, now; 0 where Linux does not say.
inline std::int64_t resident_bytes() {
  long long whole = 0;
  long long resident = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lld %lld", &whole, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return static_cast<std::int64_t>(resident) * sysconf(_SC_PAGESIZE);
}

}  // namespace penstock::bench
