/// What every MPI call of this layer goes through: the check of its return code, and the test of many requests at once.
/// Only the rank's driver calls MPI.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace penstock::transport {

/// Throws Error (environment) with MPI's text unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// Tests requests without waiting. Keeps its scratch memory between calls.
class RequestTester {
 public:
  /// The places of those that ended, valid until the next call; they are MPI_REQUEST_NULL afterwards. Null
  /// requests are passed over. Throws Error when one failed.
  std::span<const int> ended(std::span<MPI_Request> requests);
  /// Of the request that is `nth` in the last result.
  [[nodiscard]] const MPI_Status& status(std::size_t nth) const { return statuses_[nth]; }

 private:
  std::vector<int> places_;
  std::vector<MPI_Status> statuses_;
};

/// Waits until the requests have ended or the deadline has passed; then frees those that have not, whose memory MPI may
/// still use. True when all ended. Throws nothing: it is for destructors.
[[nodiscard]] bool settle(std::span<MPI_Request> requests, std::chrono::steady_clock::time_point deadline) noexcept;

}  // namespace penstock::transport

#define PENSTOCK_MPI_TRY(call) ::penstock::transport::check_mpi((call), #call)
