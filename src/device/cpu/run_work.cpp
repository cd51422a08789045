#include "device/cpu/run_work.hpp"

#include "executor/body.hpp"

namespace penstock::device {

void run_work(Work& work, Completions& completions, std::vector<Parameter>& scratch, Completion& completion) {
  const bool is_whole = work.kernel->uses_openmp;  // called once, for all pieces
  const executor::Part part = is_whole ? executor::Part() : executor::Part{work.panel, work.panel_count};
  completion.failed = executor::fails(
      [&] {
        if (completions.prepare(work)) executor::call_body(*work.kernel, work.arrays, work.parameters, part, scratch);
      },
      completion.message);
}

}  // namespace penstock::device
