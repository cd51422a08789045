/// The run folder of a C++ program that asked for one: where its trace goes. Made on rank 0 before the first task,
/// finished there after the other ranks have ended. Main thread.
#pragma once

#include <penstock/runtime.hpp>

#include "observe/run_folder.hpp"
#include "runtime/session.hpp"

namespace penstock::runtime {

class ProgramFolder {
 public:
  /// Makes the folder that the options name and has every rank record. Throws Error (run_folder).
  ProgramFolder(Session& session, const Options& options);
  /// Makes trace.json, or says why not.
  void finish() const;

 private:
  observe::RunFolder folder_;
};

}  // namespace penstock::runtime
