/// The kernels of this process, sorted by name: a kernel's place is its id, the same on every rank with the same
/// kernels. Made once, never changed; every function may be called from any thread and none blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <penstock/kernel.hpp>

#include "core/ids.hpp"

namespace penstock::kernels {

class KernelTable {
 public:
  /// The built-in kernels and all that were registered. The first call makes it, and ends registration; it is never
  /// destroyed, so its descriptions may be kept by pointer.
  static const KernelTable& process();

  /// Names must differ.
  explicit KernelTable(std::vector<KernelDescription> kernels);
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  /// `id` must be of this table, as contains() says.
  const KernelDescription& operator[](core::KernelId id) const { return *pointers_[id.value()]; }
  [[nodiscard]] bool contains(core::KernelId id) const { return id.value() < pointers_.size(); }
  [[nodiscard]] std::optional<core::KernelId> find(std::string_view name) const;
  /// As find(), but throws Error (invalid_argument) that names the nearest kernel.
  [[nodiscard]] core::KernelId at(std::string_view name) const;
  /// In the order of ids.
  [[nodiscard]] std::span<const KernelDescription* const> all() const { return pointers_; }

  /// Equal on two ranks if and, but for a hash collision, only if their signatures are equal.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
  /// The same of one kernel.
  [[nodiscard]] std::uint64_t fingerprint(core::KernelId id) const;
  /// One line a kernel, in the order of ids; what first_difference() of another rank takes.
  [[nodiscard]] const std::vector<std::string>& signatures() const { return signatures_; }
  /// Names the first kernel in which another rank's signatures differ from these; empty: none.
  [[nodiscard]] std::string first_difference(std::span<const std::string> theirs) const;

 private:
  std::vector<KernelDescription> kernels_;
  std::vector<const KernelDescription*> pointers_;
  std::unordered_map<std::string_view, core::KernelId> ids_;
  std::vector<std::string> signatures_;
  std::uint64_t fingerprint_;
};

}  // namespace penstock::kernels
