/// Memory for records of one type, made in slabs and used again, never given back before the pool ends: a stream of
/// tasks takes as much as its peak needs. Each thread has a Cache of its own; caches hand records to each other through
/// the pool in magazines (J. Bonwick, J. Adams, "Magazines and vmem", USENIX 2001), since the thread that makes a task
/// is rarely the one that ends it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace penstock::executor {

template <class T>
class RecordPool {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  static constexpr std::size_t batch = 64;

 private:
  struct Magazine {
    std::size_t count = 0;
    std::array<std::byte*, batch> records;
  };

 public:
  RecordPool() = default;
  RecordPool(const RecordPool&) = delete;
  RecordPool& operator=(const RecordPool&) = delete;

  /// One thread at a time. It must not outlive the pool; what it holds then stays with the pool.
  class Cache {
   public:
    explicit Cache(RecordPool& pool) : pool_(&pool) {}

    /// A new T, default-initialised, or with `arguments`.
    template <class... Arguments>
    T* make(Arguments&&... arguments) {
      if (loaded_->count == 0) {
        if (spare_->count == 0) pool_->fill(spare_);
        std::swap(loaded_, spare_);
      }
      std::byte* const taken = loaded_->records[--loaded_->count];
      // The lines were last written by the core that ended the record's last life: they come while others are filled.
      if (loaded_->count >= ahead) prefetch(loaded_->records[loaded_->count - ahead]);
      if constexpr (sizeof...(Arguments) == 0)
        return new (static_cast<void*>(taken)) T;
      else
        return new (static_cast<void*>(taken)) T{std::forward<Arguments>(arguments)...};
    }
    void free(T* record) {
      if (loaded_->count == batch) {
        if (spare_->count == batch) pool_->empty(spare_);
        std::swap(loaded_, spare_);
      }
      loaded_->records[loaded_->count++] = reinterpret_cast<std::byte*>(record);
    }

   private:
    static constexpr std::size_t ahead = 4;
    static constexpr std::size_t line_bytes = 64;
    static void prefetch(const std::byte* record) {
      for (std::size_t byte = 0; byte < sizeof(T); byte += line_bytes) __builtin_prefetch(record + byte, 1);
    }

    RecordPool* pool_;
    std::unique_ptr<Magazine> loaded_ = std::make_unique<Magazine>();
    std::unique_ptr<Magazine> spare_ = std::make_unique<Magazine>();
  };

  /// Of all slabs. Any thread.
  [[nodiscard]] std::size_t bytes() const { return slab_count_.load(std::memory_order_relaxed) * batch * sizeof(T); }

 private:
  struct Slab {
    alignas(T) std::byte bytes[batch * sizeof(T)];
  };

  /// Gives an empty magazine for a full one.
  void fill(std::unique_ptr<Magazine>& magazine) {
    const std::lock_guard lock(mutex_);
    if (!full_.empty()) {
      empty_.push_back(std::exchange(magazine, std::move(full_.back())));
      full_.pop_back();
      return;
    }
    slabs_.push_back(std::make_unique_for_overwrite<Slab>());
    slab_count_.store(slabs_.size(), std::memory_order_relaxed);
    for (std::size_t i = batch; i-- > 0;) {
      magazine->records[magazine->count++] = slabs_.back()->bytes + i * sizeof(T);
    }
  }
  /// Gives a full magazine for an empty one.
  void empty(std::unique_ptr<Magazine>& magazine) {
    const std::lock_guard lock(mutex_);
    full_.push_back(std::move(magazine));
    if (empty_.empty()) {
      magazine = std::make_unique<Magazine>();
    } else {
      magazine = std::move(empty_.back());
      empty_.pop_back();
    }
  }

  std::mutex mutex_;  ///< guards what follows
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::vector<std::unique_ptr<Magazine>> full_;
  std::vector<std::unique_ptr<Magazine>> empty_;
  std::atomic<std::size_t> slab_count_{0};  ///< orders nothing
};

}  // namespace penstock::executor
