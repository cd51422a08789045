/// Runs the CPU body of one piece of work on the calling thread and keeps whatever it throws: a task's failure is a
/// value.
#pragma once

#include <vector>

#include "device/device.hpp"

namespace penstock::device {

/// Asks the owner to prepare the work, runs its body, and fills in failed and message of `completion`. `scratch` holds
/// the decoded parameters; it is the caller's, so that its memory is used again. Lets pass only the unwinding of a
/// thread that is being cancelled.
void run_work(Work& work, Completions& completions, std::vector<Parameter>& scratch, Completion& completion);

}  // namespace penstock::device
