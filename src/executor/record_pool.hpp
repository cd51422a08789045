/// Memory for records of one type, made in slabs and used again, never given back before the pool ends: a stream of
/// tasks takes as much as its peak needs. Each thread has a Cache of its own; caches hand records to each other through
/// the pool in batches, since the thread that makes a task is rarely the one that ends it.
#pragma once

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
  struct Free {
    Free* next;
  };
  static_assert(sizeof(Free) <= sizeof(T) && alignof(Free) <= alignof(T));

 public:
  static constexpr std::size_t batch = 64;

  RecordPool() = default;
  RecordPool(const RecordPool&) = delete;
  RecordPool& operator=(const RecordPool&) = delete;

  /// One thread at a time. It must not outlive the pool; what it holds then stays with the pool.
  class Cache {
   public:
    explicit Cache(RecordPool& pool) : pool_(&pool) {}

    /// A new T, value-initialised with `arguments`.
    template <class... Arguments>
    T* make(Arguments&&... arguments) {
      if (first_ == nullptr) {
        first_ = pool_->take();
        count_ = batch;
      }
      Free* const taken = std::exchange(first_, first_->next);
      --count_;
      return new (static_cast<void*>(taken)) T{std::forward<Arguments>(arguments)...};
    }
    void free(T* record) {
      if (count_ == 2 * batch) give_back();
      first_ = new (static_cast<void*>(record)) Free{first_};
      ++count_;
    }

   private:
    /// Those freed last, which are in this core's cache, stay.
    void give_back() {
      Free* last_kept = first_;
      for (std::size_t i = 1; i < batch; ++i) last_kept = last_kept->next;
      pool_->put(std::exchange(last_kept->next, nullptr));
      count_ = batch;
    }

    RecordPool* pool_;
    Free* first_ = nullptr;
    std::size_t count_ = 0;
  };

  /// Of all slabs. Any thread.
  [[nodiscard]] std::size_t bytes() const { return slab_count_.load(std::memory_order_relaxed) * batch * sizeof(T); }

 private:
  struct Slab {
    alignas(T) std::byte bytes[batch * sizeof(T)];
  };

  /// A chain of `batch` free records.
  Free* take() {
    const std::lock_guard lock(mutex_);
    if (!batches_.empty()) {
      Free* const first = batches_.back();
      batches_.pop_back();
      return first;
    }
    slabs_.push_back(std::make_unique_for_overwrite<Slab>());
    slab_count_.store(slabs_.size(), std::memory_order_relaxed);
    Free* first = nullptr;
    for (std::size_t i = batch; i-- > 0;) first = new (slabs_.back()->bytes + i * sizeof(T)) Free{first};
    return first;
  }
  void put(Free* first) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(first);
  }

  std::mutex mutex_;  ///< guards what follows
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::vector<Free*> batches_;
  std::atomic<std::size_t> slab_count_{0};  ///< orders nothing
};

}  // namespace penstock::executor
