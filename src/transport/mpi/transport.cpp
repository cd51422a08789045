#include "transport/mpi/transport.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "transport/doorbell.hpp"
#include "transport/mpi/bulk.hpp"
#include "transport/mpi/messages.hpp"
#include "transport/mpi/requests.hpp"

namespace penstock::transport {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds slice_min = 20us;
constexpr std::chrono::nanoseconds slice_max = 1ms;
/// MPI moves bytes only inside its calls.
constexpr std::chrono::nanoseconds busy_slice_max = 100us;
constexpr std::chrono::nanoseconds settle_limit = 1s;

/// A duplicate of the world, whose errors are returned.
class Communicator {
 public:
  Communicator() {
    PENSTOCK_MPI_TRY(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    PENSTOCK_MPI_TRY(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  }
  ~Communicator() {
    if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] MPI_Comm get() const { return communicator_; }
  /// Leaves it to MPI, which may still use it.
  void abandon() { communicator_ = MPI_COMM_NULL; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

void require_tags(MPI_Comm communicator) {
  void* value = nullptr;
  int found = 0;
  PENSTOCK_MPI_TRY(MPI_Comm_get_attr(communicator, MPI_TAG_UB, &value, &found));
  const int most = found != 0 ? *static_cast<const int*>(value) : 32767;
  if (static_cast<BulkNumber>(most) < bulk_numbers - 1) {
    throw Error(ErrorCode::environment, "this MPI allows tags up to " + std::to_string(most) + " only, " +
                                            std::to_string(bulk_numbers - 1) + " are needed");
  }
}

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const MpiWorld& world)
      : rank_(world.rank()),
        ranks_(world.ranks()),
        messages_(message_communicator_.get(), rank_, ranks_),
        sends_(bulk_communicator_.get()),
        receives_(bulk_communicator_.get()) {
    require_tags(bulk_communicator_.get());
  }
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  [[nodiscard]] core::RankId rank() const override { return core::RankId{rank_}; }
  [[nodiscard]] int ranks() const override { return ranks_; }

  void send(core::RankId to, std::span<const std::byte> message) override { messages_.send(to.value(), message); }
  void send_bulk(core::RankId to, BulkNumber number, std::span<const std::byte> bytes) override {
    PENSTOCK_ASSERT(to.value() >= 0 && to.value() < ranks_);
    sends_.start(to.value(), number, bytes);
  }
  void receive_bulk(core::RankId from, BulkNumber number, std::span<std::byte> bytes) override {
    PENSTOCK_ASSERT(from.value() >= 0 && from.value() < ranks_);
    receives_.start(from.value(), number, bytes);
  }

  bool progress(Receiver& receiver) override;
  [[nodiscard]] bool busy() const override { return messages_.busy() || sends_.busy() || receives_.busy(); }
  void wait(std::chrono::nanoseconds limit) override;
  void wake() override { bell_.ring(); }

 private:
  bool poll();

  const int rank_;
  const int ranks_;
  Communicator message_communicator_;
  Communicator bulk_communicator_;
  MpiMessages messages_;
  BulkLane<const std::byte> sends_;
  BulkLane<std::byte> receives_;
  Doorbell bell_;
  std::chrono::nanoseconds slice_ = slice_min;  ///< of the next sleep
};

MpiTransport::~MpiTransport() {
  const auto deadline = std::chrono::steady_clock::now() + settle_limit;
  const std::size_t receives = receives_.settle(deadline);
  const std::size_t messages = messages_.settle(deadline);
  const std::size_t sends = sends_.settle(deadline);
  if (messages > 0) message_communicator_.abandon();
  if (receives + sends > 0) bulk_communicator_.abandon();
  if (messages + receives + sends > 0) {
    std::fprintf(stderr, "penstock: rank %d gives up %zu messages and %zu transfers that did not end\n", rank_,
                 messages, receives + sends);
  }
}

/// Moves MPI forward without a call of the receiver; true when there is something to deliver.
bool MpiTransport::poll() {
  const auto messages = messages_.poll();
  const bool sent = sends_.poll();
  const bool received = receives_.poll();
  if (messages.moved || sent || received) slice_ = slice_min;
  return messages.deliverable || sends_.has_ended() || receives_.has_ended();
}

bool MpiTransport::progress(Receiver& receiver) {
  if (!poll()) return false;
  messages_.deliver(receiver);
  for (const auto& end : sends_.take_ended()) receiver.bulk_sent(core::RankId{end.peer}, end.number);
  for (const auto& end : receives_.take_ended()) receiver.bulk_received(core::RankId{end.peer}, end.number);
  return true;
}

void MpiTransport::wait(std::chrono::nanoseconds limit) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    if (poll()) return;
    const auto left = limit - (std::chrono::steady_clock::now() - begin);
    if (bell_.wait(std::min(slice_, left)) || left <= slice_) return;
    slice_ = std::min(slice_ * 2, busy() ? busy_slice_max : slice_max);
  }
}

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(const MpiWorld& world) { return std::make_unique<MpiTransport>(world); }

}  // namespace penstock::transport
