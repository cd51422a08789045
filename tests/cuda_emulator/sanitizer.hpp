/// What ThreadSanitizer is told: each stream is a fibre of its own, whichever thread runs its operations, and only the
/// order that CUDA promises is announced. The emulator is built without sanitizers and its locks are invisible to them,
/// so a missing event or a buffer that is reused too early is a data race of the program under test.
#pragma once

#include <cstddef>

// The sanitizer's, where there is one.
extern "C" {
__attribute__((weak)) void __tsan_acquire(void* address);
__attribute__((weak)) void __tsan_release(void* address);
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
__attribute__((weak)) void __tsan_read_range(void* address, unsigned long bytes);
__attribute__((weak)) void __tsan_write_range(void* address, unsigned long bytes);
}

namespace penstock::emulator {

/// What is done before release() of a point is before what is done after acquire() of it.
inline void announce_release(void* point) {
  if (&__tsan_release != nullptr) __tsan_release(point);
}
inline void announce_acquire(void* point) {
  if (&__tsan_acquire != nullptr) __tsan_acquire(point);
}
inline void announce_read(const void* bytes, std::size_t count) {
  if (&__tsan_read_range != nullptr) __tsan_read_range(const_cast<void*>(bytes), count);
}
inline void announce_write(void* bytes, std::size_t count) {
  if (&__tsan_write_range != nullptr) __tsan_write_range(bytes, count);
}

/// The order of one stream.
class Fibre {
 public:
  Fibre() : fibre_(&__tsan_create_fiber != nullptr ? __tsan_create_fiber(0) : nullptr) {}
  ~Fibre() {
    if (fibre_ != nullptr) __tsan_destroy_fiber(fibre_);
  }
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// The calling thread acts for the fibre as long as this lives; that alone orders nothing.
  class Act {
   public:
    explicit Act(const Fibre& fibre) : before_(fibre.fibre_ != nullptr ? __tsan_get_current_fiber() : nullptr) {
      if (before_ != nullptr) __tsan_switch_to_fiber(fibre.fibre_, no_order);
    }
    ~Act() {
      if (before_ != nullptr) __tsan_switch_to_fiber(before_, no_order);
    }
    Act(const Act&) = delete;
    Act& operator=(const Act&) = delete;

   private:
    static constexpr unsigned no_order = 1;
    void* before_;
  };

 private:
  void* fibre_;
};

}  // namespace penstock::emulator
