/// MPI while it is in use: MPI_Init_thread with MPI_THREAD_SERIALIZED at construction, MPI_Finalize at destruction.
/// Made on the main thread where launched_by_mpi(), before any transport, and destroyed after them. Where the program
/// has initialised MPI itself, that is used and left to the program to end.
#pragma once

#include <string_view>

namespace penstock::transport {

class MpiWorld {
 public:
  /// Throws Error (environment) when MPI has no such thread level, was finalised before, or knows this process only
  /// although the launcher started several.
  MpiWorld();
  /// Finalises, which waits for all ranks: they must have agreed to end. While an exception unwinds, it does not.
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// "serialized" or "multiple": what MPI provides.
  [[nodiscard]] std::string_view thread_level() const { return thread_level_; }

  /// All ranks have agreed to end: the destructor finalises even while an exception unwinds.
  void leave_in_order() { in_order_ = true; }
  /// For when a peer is gone: the destructor makes no MPI call any more. The process then ends by _exit(), for the
  /// launcher to notice and to end the others.
  void leave_without_finalize() { finalize_ = false; }

 private:
  void join();

  bool finalize_ = true;
  bool in_order_ = false;
  int exceptions_;  ///< under way at construction
  int rank_ = 0;
  int ranks_ = 1;
  std::string_view thread_level_;
};

}  // namespace penstock::transport
