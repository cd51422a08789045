/// Reads one [[task]] or [[save]], within the groups around it. Part of the reader.
#pragma once

#include <string>

#include "jobs/reader.hpp"

namespace penstock::jobs {

/// What the reading of entries shares.
struct EntryContext {
  const Document& document;
  const References& references;
  Kernels kernels;
  Plan& plan;
  const toml::table* task_defaults = nullptr;
};

/// `scope` has the variables of the groups around the entry; the entry's own loop goes to `loop`. `title` is how
/// messages call it.
[[nodiscard]] Entry read_task(const EntryContext& context, const toml::node& node, const std::string& title,
                              Scope scope, Loop& loop);
[[nodiscard]] Entry read_save(const EntryContext& context, const toml::node& node, const std::string& title,
                              Scope scope, Loop& loop);

/// The accesses of a task from its lists `read`, `write` and `read_write`, in the kernel's order.
[[nodiscard]] std::vector<EntryAccess> read_accesses(const EntryContext& context, const Table& table,
                                                     const KernelDescription& kernel, const Scope& scope);

}  // namespace penstock::jobs
