/// What the steps of a job are about. Plain values.
#pragma once

#include <cstdint>

#include <penstock/kernel.hpp>

namespace penstock::jobs {

/// An element of a family; a datum without `for` is element 0 of its own.
struct Datum {
  std::uint32_t family = 0;
  std::int64_t element = 0;
  friend bool operator==(const Datum&, const Datum&) = default;
};

struct DatumAccess {
  Datum datum;
  AccessMode mode = AccessMode::read;
};

}  // namespace penstock::jobs
