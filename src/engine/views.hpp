/// The arrays of a task as its body sees them.
#pragma once

#include <span>

#include <boost/container/small_vector.hpp>

#include <penstock/kernel.hpp>

namespace penstock::engine {

using Views = boost::container::small_vector<ArrayView, 4>;
inline std::span<ArrayView> all(Views& views) { return {views.data(), views.size()}; }

}  // namespace penstock::engine
