/// Random programs over integers, and what they compute when their tasks run one after the other: the oracle for the
/// machines of a cluster. A task writes a hash of its kernel, its salt and all values that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <penstock/kernel.hpp>

#include "core/ids.hpp"
#include "core/outcome.hpp"

namespace penstock::support {

struct ProgramAccess {
  std::uint32_t datum = 0;
  AccessMode mode = AccessMode::read;
};

struct ProgramTask {
  core::KernelId kernel;
  std::uint16_t cores = 1;
  std::uint64_t salt = 0;
  bool fails = false;  ///< by itself, when it is run
  std::vector<ProgramAccess> accesses;
};

struct Step {
  enum class Kind : std::uint8_t { add, submit, release, pin };
  Kind kind = Kind::submit;
  std::uint32_t index = 0;  ///< of the task to submit, otherwise of the datum
};

struct Program {
  std::vector<Step> steps;  ///< a datum is added first, and not named after its release; not all are released
  std::vector<ProgramTask> tasks;
  std::uint32_t data = 0;
};

/// 20 to 400 tasks over 3 to 40 data at a time, some of them replaced on the way.
[[nodiscard]] Program random_program(std::uint64_t seed);

/// What becomes of a version in the serial run.
struct SerialVersion {
  bool failed = false;
  std::uint64_t value = 0;
  std::set<std::uint32_t> causes;  ///< the tasks that failed by themselves and so made it fail
};

struct SerialTask {
  core::Outcome outcome = core::Outcome::done;
  std::vector<std::uint64_t> reads;  ///< the values that it reads, in the order of its accesses
  std::set<std::uint32_t> causes;    ///< as for its versions
};

struct SerialRun {
  std::vector<SerialTask> tasks;
  std::vector<SerialVersion> pins;  ///< one a pin step: the version of that moment
};

[[nodiscard]] SerialRun run_serially(const Program& program);

/// What a task writes by its access number `access`.
[[nodiscard]] std::uint64_t written_value(core::KernelId kernel, std::uint64_t salt,
                                          std::span<const std::uint64_t> reads, std::size_t access);

/// The parameters of a task: its salt and whether it fails.
void encode_salt(const ProgramTask& task, std::vector<std::byte>& out);

}  // namespace penstock::support
