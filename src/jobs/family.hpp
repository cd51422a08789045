/// A family of data, or a single datum: a family without ranges. Built by the reader, then constant; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <penstock/kernel.hpp>

#include "jobs/parameters.hpp"
#include "jobs/source.hpp"
#include "jobs/text_template.hpp"

namespace penstock::jobs {

/// The elements of a family are numbered in the order of its axes, the last one fastest: its ranges, then, where it is
/// tiled, the rows and columns of tiles.
struct Family {
  struct Axis {
    std::int64_t begin = 0;
    std::int64_t count = 1;
  };

  std::string name;
  Position position;
  std::vector<Axis> axes;
  std::size_t tile_axes = 0;  ///< how many of the axes are those of tiles, the last ones: 0 to 2
  ArrayType whole;            ///< what the table says; of a tiled family, each of its elements is a part of it
  std::array<std::int64_t, 2> tile{};

  const KernelDescription* origin = nullptr;  ///< what makes an element; null: the first task that writes it
  ParameterValues parameters;                 ///< of the origin; its indices are those of the axes
  TextTemplate file;                          ///< of origin "file"
  Position file_position;
  std::string folder;  ///< what `file` is relative to

  static constexpr std::int64_t max_elements = std::int64_t{1} << 31;

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] bool is_tiled() const { return tile_axes > 0; }
  /// Not all elements are of one type: the last tiles of an axis are smaller.
  [[nodiscard]] bool is_ragged() const { return is_ragged_axis(0) || is_ragged_axis(1); }
  [[nodiscard]] ArrayType type_of(std::int64_t element) const;
  /// Of the largest element.
  [[nodiscard]] ArrayType largest_type() const;
  /// A number for the type of an element, below 4.
  [[nodiscard]] unsigned shape_class(std::int64_t element) const;
  /// The place on each axis, its begin included; those of tiles from 0.
  void find(std::int64_t element, std::vector<std::int64_t>& place) const;
  /// "A[3]", "A[1, 2]" or "B"
  [[nodiscard]] std::string element_name(std::int64_t element) const;
  /// Throws Mistake: a subscript, as it is written, that is outside its axis.
  [[noreturn]] void fail_outside(std::size_t axis, std::string_view subscript, std::int64_t value) const;

 private:
  [[nodiscard]] bool is_ragged_axis(std::size_t axis) const {
    return axis < tile_axes && whole.shape[axis] % tile[axis] != 0;
  }
  [[nodiscard]] const Axis& tile_axis(std::size_t axis) const { return axes[axes.size() - tile_axes + axis]; }
};

}  // namespace penstock::jobs
