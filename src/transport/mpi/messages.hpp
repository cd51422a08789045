/// The messages of an MPI transport, both ways, on a communicator of their own. poll() moves MPI forward without
/// telling anyone; deliver() tells the receiver what has arrived whole. Several receives are in flight at once, but
/// each sender's messages are delivered in the order sent, however long a large one takes.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "transport/mpi/buffers.hpp"
#include "transport/mpi/requests.hpp"
#include "transport/transport.hpp"

namespace penstock::transport {

class MpiMessages {
 public:
  /// The communicator stays the caller's.
  MpiMessages(MPI_Comm communicator, int rank, int ranks);

  void send(int to, std::span<const std::byte> message);
  struct Polled {
    bool deliverable = false;  ///< deliver() has something to tell
    bool moved = false;        ///< something came or left
  };
  Polled poll();
  bool deliver(Receiver& receiver);
  /// Whether a message is on its way out, half in, or not delivered.
  [[nodiscard]] bool busy() const { return !crowded_.empty() || !arrivals_.empty() || !own_.empty(); }

  /// Lets what is on its way end until the deadline. How many messages MPI still held then; their memory is left to it.
  std::size_t settle(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  struct Departure {
    MPI_Request request = MPI_REQUEST_NULL;
    Buffer buffer;
  };
  struct Arrival {
    int from = 0;
    bool delivered = false;
    Buffer buffer;
  };

  bool poll_outgoing();
  bool free_departed(std::deque<Departure>& departures);
  void test_arrivals();
  bool any_deliverable();
  bool start_arrival();
  bool deliver_own(Receiver& receiver);
  bool deliver_arrivals(Receiver& receiver);
  void forget_delivered();

  const MPI_Comm communicator_;
  const int rank_;
  BufferPool pool_;
  RequestTester tester_;

  std::vector<std::deque<Departure>> outgoing_;  ///< by receiver, in the order sent
  std::vector<int> crowded_;                     ///< the receivers that outgoing_ has any for
  std::size_t tested_ = 0;                       ///< where in crowded_ the next test begins

  std::vector<MPI_Request> receiving_;    ///< beside arrivals_: null for one that is whole
  std::vector<Arrival> arrivals_;         ///< in order of arrival
  std::vector<std::uint64_t> held_back_;  ///< by sender: the last round in which it had a message that was not whole
  std::uint64_t round_ = 0;

  std::vector<Buffer> own_;  ///< sent to this rank itself
  std::vector<Buffer> own_taken_;
};

}  // namespace penstock::transport
