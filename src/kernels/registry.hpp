/// Where kernels are collected before the first runtime exists. A registry starts with the built-in kernels, so that a
/// program cannot take one of their names. register_kernel() adds to the registry of the process, mostly while static
/// objects are built; the kernel table takes everything from it once, and from then on it refuses.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include <penstock/kernel.hpp>

namespace penstock::kernels {

inline constexpr std::size_t max_name_length = 64;
inline constexpr std::size_t max_accesses = 16;
inline constexpr std::size_t max_parameters = 16;

/// All functions may be called from any thread.
class Registry {
 public:
  Registry();

  /// The registry behind register_kernel(). Never destroyed, so that static objects may use it in any order.
  static Registry& process();

  /// Throws Error (invalid_argument), naming the kernel and what is wrong with it: its name is not made of a to z, 0 to
  /// 9, '_', '.' and '-' or longer than 64 characters, or taken; it has no body, too many accesses or parameters, two
  /// of one name, or a default of another type; or the table has been made already.
  void add(KernelDescription description);
  /// All of them or, when one is refused, none.
  void add_all(std::vector<KernelDescription> descriptions);

  /// Hands over all kernels; later add() calls throw.
  [[nodiscard]] std::vector<KernelDescription> freeze();

 private:
  std::mutex mutex_;  ///< guards the two below
  std::vector<KernelDescription> kernels_;
  bool frozen_ = false;
};

}  // namespace penstock::kernels
