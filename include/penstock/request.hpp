/// What a submit() may ask for besides a kernel's arguments: cores, a priority, a name, limited resources.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace penstock {

class Runtime;

/// The resource request of a task: this many cores of one rank, used as panels by kernels that allow them, for one team
/// of threads by those that use OpenMP.
struct Cores {
  int count;
};
inline Cores cores(int count) { return {count}; }

/// Of tasks that are ready, those of a higher priority begin first; 0 is that of tasks which ask for none. Among tasks
/// of several ranks, and on GPUs, it is not looked at.
struct Priority {
  std::int32_t value;
};
inline Priority priority(std::int32_t value) { return {value}; }

/// What messages call the task, besides its kernel; the first 254 bytes count. Borrowed for the call.
struct Name {
  std::string_view text;
};
inline Name name(std::string_view text) { return {text}; }

/// Something limited, of all ranks together: a licence, a disk, a part of memory. Made by Runtime::resource(); copies
/// are the same. A task holds what it uses from when it begins, on several ranks from when it is given to a rank, to
/// its end, however it ends.
class Resource {
 public:
  Resource() = default;

 private:
  friend class Runtime;
  Resource(std::weak_ptr<void> owner, void* resource) : owner_(std::move(owner)), resource_(resource) {}

  std::weak_ptr<void> owner_;  // the runtime's state
  void* resource_ = nullptr;
};

/// So much of a resource, for one task. Borrows it.
struct Use {
  const Resource* resource;
  std::int64_t amount;
};
inline Use use(const Resource& resource, std::int64_t amount = 1) { return {&resource, amount}; }

/// A submitted task, for Runtime::cancel().
struct Task {
  std::uint64_t id = 0;
};

}  // namespace penstock
