/// A task as it is submitted: what a front-end of any kind takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <penstock/error.hpp>
#include <penstock/types.hpp>

#include "core/ids.hpp"
#include "engine/group.hpp"
#include "engine/resource.hpp"
#include "graph/domain.hpp"

namespace penstock::engine {

/// What a front-end keeps of a datum that it holds on to, and gives back: see record.hpp.
struct Version;

/// Already checked against its kernel. Borrowed for the call.
struct Submission {
  core::KernelId kernel;
  std::uint16_t cores = 1;
  std::int32_t priority = 0;                ///< larger first
  std::span<const graph::Access> accesses;  ///< 255 at most
  std::span<const std::byte> parameters;    ///< encoded
  Place place;
  std::string_view name = {};        ///< of the task, for messages; empty: it is called by its kernel
  Group* group = nullptr;            ///< null: of no group but its domain's
  std::span<const Need> needs = {};  ///< 31 at most, each resource once
  bool only_on_front = false;        ///< not on another rank than the program's
};

/// A datum as of now.
struct Standing {
  ArrayType type;
  bool is_written = false;
  bool is_read_only = false;  ///< no task may write it
  bool is_borrowed = false;   ///< its memory is somebody's who goes on with the value
};

}  // namespace penstock::engine
