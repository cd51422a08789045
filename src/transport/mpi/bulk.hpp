/// The bulk transfers of an MPI transport in one direction, on a communicator of their own. A transfer is cut into
/// chunks, of which two are in flight: the next is on its way while the last ends, and a message never waits for more.
/// Chunks of one transfer carry one tag, its number, and MPI keeps their order; so the two sides need to agree only on
/// the size.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/mpi/requests.hpp"
#include "transport/transport.hpp"

namespace penstock::transport {

/// `Byte` is const std::byte to send and std::byte to receive.
template <class Byte>
class BulkLane {
 public:
  struct End {
    int peer;
    BulkNumber number;
  };

  explicit BulkLane(MPI_Comm communicator) : communicator_(communicator) {}

  void start(int peer, BulkNumber number, std::span<Byte> bytes);
  /// Moves MPI forward; true when a chunk has ended.
  bool poll();
  [[nodiscard]] bool has_ended() const { return !ended_.empty(); }
  /// What has ended, and forgets it. Two transfers of one peer and number end in the order they were started.
  [[nodiscard]] std::vector<End> take_ended();
  [[nodiscard]] bool busy() const { return !transfers_.empty() || !ended_.empty(); }

  /// Withdraws receives that no sender has matched and lets chunks in flight end until the deadline; starts no more.
  /// How many transfers MPI may still hold then.
  std::size_t settle(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  static constexpr std::size_t chunks_in_flight = 2;

  struct Transfer {
    int peer = 0;
    BulkNumber number = 0;
    std::span<Byte> bytes;
    std::size_t chunks = 0;
    std::size_t posted = 0;
    std::size_t ended = 0;
    std::size_t sizes[chunks_in_flight] = {};  ///< of the chunks in flight
  };

  void post_chunk(std::size_t transfer, std::size_t place);
  void chunk_ended(std::size_t request, const MPI_Status& status);
  void collect_ended();

  const MPI_Comm communicator_;
  RequestTester tester_;
  std::vector<Transfer> transfers_;    ///< oldest first
  std::vector<MPI_Request> requests_;  ///< chunks_in_flight places for each transfer
  std::vector<End> ended_;
};

extern template class BulkLane<const std::byte>;
extern template class BulkLane<std::byte>;

}  // namespace penstock::transport
