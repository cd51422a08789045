/// Runs the CPU body of one piece of work, or of all of a kernel that is called once, on the calling thread and keeps
/// whatever it throws: a task's failure is a value.
#pragma once

#include <type_traits>
#include <vector>

#include "device/device.hpp"

namespace penstock::device {

/// A job is found to be the first thing in its piece of work.
static_assert(std::is_standard_layout_v<Work>);
inline Work& work_of(executor::Job& job) { return *reinterpret_cast<Work*>(&job); }

/// Asks the owner to prepare the work, runs its body, and fills in failed and message of `completion`. `scratch` holds
/// the decoded parameters; it is the caller's, so that its memory is used again. Lets pass only the unwinding of a
/// thread that is being cancelled.
void run_work(Work& work, Completions& completions, std::vector<Parameter>& scratch, Completion& completion);

}  // namespace penstock::device
