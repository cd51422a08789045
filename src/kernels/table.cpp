#include "kernels/table.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <penstock/error.hpp>

#include "core/assert.hpp"
#include "kernels/registry.hpp"
#include "kernels/signature.hpp"
#include "kernels/text.hpp"

namespace penstock::kernels {

const KernelTable& KernelTable::process() {
  static const KernelTable& table = *new KernelTable(Registry::process().freeze());
  return table;
}

KernelTable::KernelTable(std::vector<KernelDescription> kernels)
    : kernels_(std::move(kernels)), fingerprint_(hash_of("")) {
  if (kernels_.size() > std::numeric_limits<core::KernelId::Value>::max()) {
    throw Error(ErrorCode::invalid_argument, "at most 65535 kernels can be registered");
  }
  std::ranges::sort(kernels_, {}, &KernelDescription::name);
  for (const KernelDescription& kernel : kernels_) {
    const core::KernelId id(static_cast<core::KernelId::Value>(pointers_.size()));
    pointers_.push_back(&kernel);
    const bool is_new = ids_.emplace(kernel.name, id).second;
    PENSTOCK_ASSERT(is_new);
    signatures_.push_back(signature_of(kernel));
    fingerprint_ = hash_of("\n", hash_of(signatures_.back(), fingerprint_));
  }
}

std::optional<core::KernelId> KernelTable::find(std::string_view name) const {
  const auto found = ids_.find(name);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

core::KernelId KernelTable::at(std::string_view name) const {
  if (const auto id = find(name)) return *id;
  std::vector<std::string_view> names;
  for (const KernelDescription& kernel : kernels_) names.push_back(kernel.name);
  const std::string_view near = nearest(name, names);
  throw Error(ErrorCode::invalid_argument, "there is no kernel \"" + std::string(name) + '"' +
                                               (near.empty() ? "" : "; did you mean " + std::string(near) + '?'));
}

std::uint64_t KernelTable::fingerprint(core::KernelId id) const { return hash_of(signatures_[id.value()]); }

std::string KernelTable::first_difference(std::span<const std::string> theirs) const {
  return kernels::first_difference(signatures_, theirs);
}

}  // namespace penstock::kernels
