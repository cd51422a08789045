/// Reads what is special about a [[task]] or a [[save]]. Part of the reader.
#pragma once

#include <string_view>
#include <vector>

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

inline constexpr std::string_view task_keys[] = {"name",       "for",     "if",     "kernel",     "read", "write",
                                                 "read_write", "commute", "reduce", "parameters", "cores"};
inline constexpr std::string_view save_keys[] = {"for", "if", "data", "file"};

/// These read the table into the entry, whose loop is read: `scope` has its variables and those of the groups around
/// it. The loop of a save goes on over the tiles where it saves a whole array of them.
void read_task(const EntryContext& context, const Table& table, const Scope& scope, Entry& entry);
void read_save(const EntryContext& context, const Table& table, Scope& scope, Loop& loop, Entry& entry);

/// The accesses of a task from its lists `read`, `write` and `read_write`, in the kernel's order.
[[nodiscard]] std::vector<EntryAccess> read_accesses(const EntryContext& context, const Table& table,
                                                     const KernelDescription& kernel, const Scope& scope);

/// What the keys `commute` and `reduce` say of arguments that the task reads and writes.
void read_modes(const EntryContext& context, const Table& table, const KernelDescription& kernel,
                std::vector<EntryAccess>& accesses);

}  // namespace penstock::jobs
