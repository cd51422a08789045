#include "trace/recorder.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include <penstock/error.hpp>

#include "trace/file_format.hpp"

namespace penstock::trace {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, int error) {
  throw Error(ErrorCode::environment, "no trace: " + file.string() + ": " + std::strerror(error));
}

std::size_t slots_of(std::int64_t bytes, std::size_t lanes) {
  const std::int64_t share = std::max(bytes / static_cast<std::int64_t>(lanes), Recorder::lane_bytes_least);
  return std::bit_floor(static_cast<std::size_t>(share)) / sizeof(core::Event);
}

}  // namespace

Recorder::Recorder(const Options& options) : file_(options.file) {
  const std::size_t lanes = options.lanes.size();
  if (lanes == 0 || lanes > lanes_most) refuse(file_, EINVAL);
  const std::size_t slots = slots_of(options.bytes, lanes);
  bytes_ = file_bytes(lanes, slots);
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0) refuse(file_, errno);
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes_));
  void* const memory =
      error != 0 ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) {
    const int reason = error != 0 ? error : errno;
    close(descriptor_);
    unlink(file_.c_str());
    refuse(file_, reason);
  }
  memory_ = static_cast<std::byte*>(memory);

  auto* const lane_headers = reinterpret_cast<LaneHeader*>(memory_ + lane_headers_begin());
  for (std::size_t i = 0; i < lanes; ++i) {
    auto* const header = new (lane_headers + i) LaneHeader;
    header->kind = static_cast<std::uint32_t>(options.lanes[i].kind);
    header->device = options.lanes[i].device;
    options.lanes[i].name.copy(header->name.data(), header->name.size() - 1);
    lanes_.emplace_back(reinterpret_cast<core::Event*>(memory_ + ring_begin(lanes, slots, i)), slots, header->written);
  }
  auto* const header = new (memory_) FileHeader;
  header->version = format_version;
  header->event_bytes = sizeof(core::Event);
  header->lanes = static_cast<std::uint32_t>(lanes);
  header->rank = options.rank;
  header->ranks = options.ranks;
  header->slots = slots;
  header->start_ns = options.start_ns;
  header->start_unix_ns = options.start_unix_ns;
  describe(options.description);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header->magic = magic;  // last: a file with it is whole
}

Recorder::~Recorder() {
  reinterpret_cast<FileHeader*>(memory_)->ended = 1;
  give_back_unused();
  // Unmapped, then closed: a network file system sends what was written now, and rank 0 may read it.
  munmap(memory_, bytes_);
  close(descriptor_);
}

/// The pages of the rings that no event reached: a short run should not cost its user the whole file.
void Recorder::give_back_unused() const {
  const auto* const header = reinterpret_cast<const FileHeader*>(memory_);
  const auto* const lane_headers = reinterpret_cast<const LaneHeader*>(memory_ + lane_headers_begin());
  for (std::size_t i = 0; i < header->lanes; ++i) {
    const std::uint64_t written = lane_headers[i].written.load(std::memory_order_relaxed);
    const std::size_t used = rounded_to_pages(std::min(written, header->slots) * sizeof(core::Event));
    const std::size_t all = rounded_to_pages(header->slots * sizeof(core::Event));
    if (used == all) continue;
    const auto begin = static_cast<off_t>(ring_begin(header->lanes, header->slots, i) + used);
    // Where the file system cannot, the file stays as large as it was.
    static_cast<void>(
        fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, static_cast<off_t>(all - used)));
  }
}

void Recorder::describe(std::string_view description) {
  if (description.size() > description_most) description = "{}";
  auto* const header = reinterpret_cast<FileHeader*>(memory_);
  header->description_bytes = 0;  // a reader of a killed rank finds none rather than half of one
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(memory_ + description_begin(header->lanes), description.data(), description.size());
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header->description_bytes = static_cast<std::uint32_t>(description.size());
}

}  // namespace penstock::trace
