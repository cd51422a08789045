#include "trace/reader.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include <penstock/error.hpp>

#include "trace/file_format.hpp"

namespace penstock::trace {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw Error(ErrorCode::environment, file.string() + ": " + what);
}

/// A file mapped for reading.
class Mapping {
 public:
  explicit Mapping(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) refuse(file, std::strerror(errno));
    struct stat status {};
    const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, descriptor, 0);
    }
    const int error = errno;
    close(descriptor);
    if (!regular) refuse(file, "is not a regular file");
    if (memory_ == MAP_FAILED) refuse(file, std::strerror(error));
  }
  ~Mapping() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] const std::byte* begin() const { return static_cast<const std::byte*>(memory_); }
  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

FileHeader checked_header(const Mapping& mapping, const std::filesystem::path& file) {
  FileHeader header;
  if (mapping.size() < page) refuse(file, "is no trace of penstock");
  std::memcpy(&header, mapping.begin(), sizeof header);
  if (header.magic != magic) refuse(file, "is no trace of penstock, or was not finished being made");
  if (header.version != format_version) {
    refuse(file, "has format " + std::to_string(header.version) + ", this penstock reads format " +
                     std::to_string(format_version));
  }
  const bool sound = header.event_bytes == sizeof(core::Event) && header.lanes >= 1 && header.lanes <= lanes_most &&
                     std::has_single_bit(header.slots) && header.slots <= std::uint64_t{1} << 40 && header.rank >= 0 &&
                     header.rank < header.ranks && header.description_bytes <= description_most;
  if (!sound || mapping.size() < file_bytes(header.lanes, header.slots)) refuse(file, "is damaged");
  return header;
}

LaneEvents read_lane(const Mapping& mapping, const FileHeader& file, std::size_t index) {
  const auto* const header = reinterpret_cast<const LaneHeader*>(mapping.begin() + lane_headers_begin()) + index;
  const auto* const slots =
      reinterpret_cast<const core::Event*>(mapping.begin() + ring_begin(file.lanes, file.slots, index));
  LaneEvents lane;
  const bool is_known = header->kind <= static_cast<std::uint32_t>(last_lane_kind);
  lane.kind = is_known ? static_cast<LaneKind>(header->kind) : LaneKind::front;
  lane.device = header->device;
  lane.name.assign(header->name.data(), strnlen(header->name.data(), header->name.size()));

  const std::uint64_t end = header->written.load(std::memory_order_acquire);
  const std::uint64_t begin = end - std::min(end, file.slots);
  lane.events.reserve(end - begin);
  for (std::uint64_t i = begin; i < end; ++i) lane.events.push_back(slots[i & (file.slots - 1)]);
  // Of a rank that still runs, or was killed, events that it had not yet published lie where the oldest were.
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t reached =
      header->written.load(std::memory_order_relaxed) + (file.ended == 1 ? 0 : unpublished_most);
  const std::uint64_t sound = reached - std::min(reached, file.slots);  // older ones may be overwritten
  const std::uint64_t overwritten = std::min(sound - std::min(sound, begin), end - begin);
  lane.events.erase(lane.events.begin(), lane.events.begin() + static_cast<std::ptrdiff_t>(overwritten));
  lane.dropped = begin + overwritten;
  std::erase_if(lane.events, [](const core::Event& event) {
    return event.kind < core::EventKind::task || event.kind > core::EventKind::text;
  });
  return lane;
}

}  // namespace

RankTrace read(const std::filesystem::path& file) {
  const Mapping mapping(file);
  const FileHeader header = checked_header(mapping, file);
  RankTrace trace{.rank = header.rank,
                  .ranks = header.ranks,
                  .start_ns = header.start_ns,
                  .start_unix_ns = header.start_unix_ns,
                  .ended = header.ended == 1,
                  .description = {},
                  .lanes = {}};
  trace.description.assign(reinterpret_cast<const char*>(mapping.begin() + description_begin(header.lanes)),
                           header.description_bytes);
  for (std::size_t i = 0; i < header.lanes; ++i) trace.lanes.push_back(read_lane(mapping, header, i));
  return trace;
}

std::string file_name(int rank) {
  std::string text = std::to_string(rank);
  constexpr std::size_t width = 5;
  if (text.size() < width) text.insert(0, width - text.size(), '0');
  return "rank-" + text + ".trace";
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("rank-") && name.ends_with(".trace")) files.push_back(entry.path());
  }
  if (error) throw Error(ErrorCode::environment, folder.string() + ": " + error.message());
  std::ranges::sort(files, {}, [](const std::filesystem::path& file) {
    std::string name = file.filename().string();
    return std::pair(name.size(), std::move(name));  // by number: rank-100000 comes after rank-99999
  });
  return files;
}

}  // namespace penstock::trace
