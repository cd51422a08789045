#include "transport/mpi/bulk.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/assert.hpp"

namespace penstock::transport {

namespace {

/// Large enough that the cost of starting a chunk vanishes, small enough that copying one takes a few milliseconds.
constexpr std::size_t chunk_bytes = std::size_t{8} << 20;

}  // namespace

template <class Byte>
void BulkLane<Byte>::start(int peer, BulkNumber number, std::span<Byte> bytes) {
  PENSTOCK_ASSERT(number < bulk_numbers);
  // Nothing is one chunk of nothing.
  const std::size_t chunks = std::max<std::size_t>(1, (bytes.size() + chunk_bytes - 1) / chunk_bytes);
  transfers_.push_back({.peer = peer, .number = number, .bytes = bytes, .chunks = chunks});
  requests_.resize(transfers_.size() * chunks_in_flight, MPI_REQUEST_NULL);
  for (std::size_t place = 0; place < std::min(chunks, chunks_in_flight); ++place) {
    post_chunk(transfers_.size() - 1, place);
  }
}

template <class Byte>
void BulkLane<Byte>::post_chunk(std::size_t transfer, std::size_t place) {
  Transfer& t = transfers_[transfer];
  const std::size_t offset = t.posted * chunk_bytes;
  const std::size_t size = std::min(chunk_bytes, t.bytes.size() - offset);
  MPI_Request& request = requests_[transfer * chunks_in_flight + place];
  Byte* const data = t.bytes.data() + offset;
  const auto count = static_cast<int>(size);
  const auto tag = static_cast<int>(t.number);
  if constexpr (std::is_const_v<Byte>) {
    PENSTOCK_MPI_TRY(MPI_Isend(data, count, MPI_BYTE, t.peer, tag, communicator_, &request));
  } else {
    PENSTOCK_MPI_TRY(MPI_Irecv(data, count, MPI_BYTE, t.peer, tag, communicator_, &request));
  }
  t.sizes[place] = size;
  ++t.posted;
}

template <class Byte>
bool BulkLane<Byte>::poll() {
  if (transfers_.empty()) return false;
  const auto ended = tester_.ended(requests_);
  for (std::size_t nth = 0; nth < ended.size(); ++nth) {
    chunk_ended(static_cast<std::size_t>(ended[nth]), tester_.status(nth));
  }
  if (ended.empty()) return false;
  collect_ended();
  return true;
}

template <class Byte>
void BulkLane<Byte>::chunk_ended(std::size_t request, const MPI_Status& status) {
  const std::size_t place = request % chunks_in_flight;
  Transfer& transfer = transfers_[request / chunks_in_flight];
  if constexpr (!std::is_const_v<Byte>) {
    int received = 0;
    PENSTOCK_MPI_TRY(MPI_Get_count(&status, MPI_BYTE, &received));
    PENSTOCK_ASSERT(static_cast<std::size_t>(received) == transfer.sizes[place]);
  } else {
    static_cast<void>(status);
  }
  ++transfer.ended;
  if (transfer.posted < transfer.chunks) post_chunk(request / chunks_in_flight, place);
}

/// A sender may be asked for the next bulk of a number before it has heard of the end of the last: the older one is
/// reported first, so a younger one that has ended stays until then.
template <class Byte>
void BulkLane<Byte>::collect_ended() {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < transfers_.size(); ++at) {
    const Transfer& transfer = transfers_[at];
    const auto is_older = [&](const Transfer& other) {
      return other.peer == transfer.peer && other.number == transfer.number;
    };
    if (transfer.ended == transfer.chunks && std::ranges::none_of(std::span(transfers_).first(kept), is_older)) {
      ended_.push_back({.peer = transfer.peer, .number = transfer.number});
      continue;
    }
    if (kept != at) {
      transfers_[kept] = transfer;
      const auto from = requests_.begin() + static_cast<std::ptrdiff_t>(at * chunks_in_flight);
      std::copy_n(from, chunks_in_flight, requests_.begin() + static_cast<std::ptrdiff_t>(kept * chunks_in_flight));
    }
    ++kept;
  }
  transfers_.resize(kept);
  requests_.resize(kept * chunks_in_flight);
}

template <class Byte>
auto BulkLane<Byte>::take_ended() -> std::vector<End> {
  return std::exchange(ended_, {});
}

template <class Byte>
std::size_t BulkLane<Byte>::settle(std::chrono::steady_clock::time_point deadline) noexcept {
  if constexpr (!std::is_const_v<Byte>) {
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    }
  }
  const bool settled = transport::settle(requests_, deadline);
  const std::size_t left = settled ? 0 : transfers_.size();
  transfers_.clear();
  requests_.clear();
  return left;
}

template class BulkLane<const std::byte>;
template class BulkLane<std::byte>;

}  // namespace penstock::transport
