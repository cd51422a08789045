#include "memory/host_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include <penstock/error.hpp>

namespace penstock::memory {

namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t huge_bytes = std::size_t{2} << 20;

void release(std::byte* data) { std::free(data); }

std::byte* fresh(std::size_t bytes) {
  const std::size_t alignment = bytes >= huge_bytes ? huge_bytes : line_bytes;
  // No MADV_HUGEPAGE: where free memory is in pieces, the system then moves pages for longer than small faults take.
  void* data = std::aligned_alloc(alignment, bytes);
  return static_cast<std::byte*>(data);
}

}  // namespace

HostPool::~HostPool() { free_idle(); }

void HostPool::free_idle() {
  const std::lock_guard lock(mutex_);
  for (auto& [bytes, size_class] : classes_) std::ranges::for_each(size_class.idle, release);
  classes_.clear();
  idle_bytes_ = 0;
}

std::size_t HostPool::rounded(std::size_t bytes) {
  const std::size_t unit = bytes >= huge_bytes ? huge_bytes : line_bytes;
  return (std::max(bytes, std::size_t{1}) + unit - 1) / unit * unit;
}

std::byte* HostPool::take_idle(std::size_t size) {
  const auto size_class = classes_.find(size);
  if (size_class == classes_.end() || size_class->second.idle.empty()) return nullptr;
  std::byte* data = size_class->second.idle.back();
  size_class->second.idle.pop_back();
  idle_bytes_ -= size;
  return data;
}

bool HostPool::keep_idle(std::byte* data, std::size_t size) {
  if (idle_bytes_ + size > keep_bytes_) return false;
  idle_bytes_ += size;
  classes_[size].idle.push_back(data);
  return true;
}

std::byte* HostPool::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  used_bytes_.fetch_add(size, std::memory_order_relaxed);
  if (pinned_) {
    if (std::byte* data = pinned_->allocate(size)) return data;
  }
  {
    const std::lock_guard lock(mutex_);
    if (std::byte* data = take_idle(size)) return data;
  }
  if (std::byte* data = fresh(size)) return data;
  free_idle();
  if (std::byte* data = fresh(size)) return data;
  const std::size_t used = used_bytes_.fetch_sub(size, std::memory_order_relaxed) - size;
  throw Error(ErrorCode::environment, "out of memory: " + std::to_string(size) + " bytes wanted, " +
                                          std::to_string(used) + " bytes in use for data on this rank");
}

void HostPool::free(std::byte* data, std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  used_bytes_.fetch_sub(size, std::memory_order_relaxed);
  if (pinned_ && pinned_->free(data, size)) return;
  {
    const std::lock_guard lock(mutex_);
    if (keep_idle(data, size)) return;
  }
  release(data);
}

void HostPool::allocate(std::vector<std::byte*>& data, std::size_t count, std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::size_t wanted = data.size() + count;
  if (!pinned_) {
    const std::lock_guard lock(mutex_);
    while (data.size() < wanted) {
      std::byte* const idle = take_idle(size);
      if (idle == nullptr) break;
      data.push_back(idle);
      used_bytes_.fetch_add(size, std::memory_order_relaxed);
    }
  }
  while (data.size() < wanted) data.push_back(allocate(bytes));
}

void HostPool::free(std::span<std::byte* const> data, std::size_t bytes) {
  if (pinned_) {
    for (std::byte* const one : data) free(one, bytes);
    return;
  }
  const std::size_t size = rounded(bytes);
  used_bytes_.fetch_sub(size * data.size(), std::memory_order_relaxed);
  std::size_t kept = 0;
  {
    const std::lock_guard lock(mutex_);
    while (kept < data.size() && keep_idle(data[kept], size)) ++kept;
  }
  std::ranges::for_each(data.subspan(kept), release);
}

}  // namespace penstock::memory
