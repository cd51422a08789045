// A plugin with kernels for images, arrays of rows and columns; image.toml uses them. Built into image.so by CMake
// beside a copy of the job:
//
//     penstock run build/release/jobs/plugins/image.toml
//     penstock kernels --plugin build/release/jobs/plugins/image.so image.blur
#include <algorithm>
#include <cstring>

#include <penstock/plugin.hpp>

namespace ps = penstock;

namespace {

std::string fault_of_pair(const ps::Shape& image, const ps::Shape& result) {
  if (image.dimensions() != 2) return "image has " + std::to_string(image.dimensions()) + " dimensions, not 2";
  return image == result ? "" : "image is " + image.to_string() + ", but result is " + result.to_string();
}

/// The mean of the pixels at most `radius` away in each direction, of those that there are.
float mean_around(ps::In<float> image, std::int64_t row, std::int64_t column, std::int64_t radius) {
  const std::int64_t rows = image.shape()[0];
  const std::int64_t columns = image.shape()[1];
  const std::int64_t left = std::max<std::int64_t>(column - radius, 0);
  const std::int64_t right = std::min(column + radius + 1, columns);
  double sum = 0.0;
  std::int64_t count = 0;
  for (std::int64_t y = std::max<std::int64_t>(row - radius, 0); y < std::min(row + radius + 1, rows); ++y) {
    for (std::int64_t x = left; x < right; ++x)
      sum += static_cast<double>(image[static_cast<std::size_t>(y * columns + x)]);
    count += right - left;
  }
  return static_cast<float>(sum / static_cast<double>(count));
}

void blur(ps::In<float> image, ps::Out<float> result, std::int64_t radius) {
  std::size_t pixel = 0;
  for (std::int64_t row = 0; row < image.shape()[0]; ++row) {
    for (std::int64_t column = 0; column < image.shape()[1]; ++column) {
      result[pixel++] = mean_around(image, row, column, radius);
    }
  }
}

/// How many pixels fall into each of the equal parts of [low, high); others count in none.
void histogram(ps::In<float> image, ps::Out<std::int64_t> bins, double low, double high) {
  std::ranges::fill(bins, 0);
  const double scale = static_cast<double>(bins.size()) / (high - low);
  for (const float value : image) {
    const double place = (static_cast<double>(value) - low) * scale;
    if (place >= 0.0 && place < static_cast<double>(bins.size())) ++bins[static_cast<std::size_t>(place)];
  }
}

/// Rows from bottom to top, in place. Of any dtype, so it is described by hand: it moves bytes and looks at no value.
void flip(const ps::TaskContext& context) {
  const ps::ArrayView& image = context.arrays[0];
  const std::int64_t rows = image.type.shape[0];
  if (rows == 0) return;
  const std::int64_t row_bytes = image.type.bytes() / rows;
  for (std::int64_t top = 0, bottom = rows - 1; top < bottom; ++top, --bottom) {
    std::byte* const upper = image.data + top * row_bytes;
    std::swap_ranges(upper, upper + row_bytes, image.data + bottom * row_bytes);
  }
}

ps::KernelDescription describe_flip() {
  ps::KernelDescription kernel;
  kernel.name = "image.flip";
  kernel.summary = "The rows of image from bottom to top, in place.";
  kernel.accesses = {{.name = "image", .mode = ps::AccessMode::read_write, .dtypes = {}}};
  kernel.cpu = flip;
  kernel.check = [](std::span<const ps::TaskAccess> accesses, std::span<const ps::Parameter> /*parameters*/) {
    return std::string(accesses[0].type.shape.dimensions() > 0 ? "" : "image is a single number, it has no rows");
  };
  return kernel;
}

}  // namespace

PENSTOCK_KERNEL("image.blur", blur,
                {.summary = "result = the mean of image around each pixel; both have the same rows and columns.",
                 .arguments = {"image", "result", {"radius", "how far the mean reaches, in pixels", 1}},
                 .check =
                     [](const ps::Shape& image, const ps::Shape& result, std::int64_t radius) {
                       return radius < 0 ? "radius is negative" : fault_of_pair(image, result);
                     },
                 .flops = [](const ps::Shape& image, const ps::Shape&,
                             std::int64_t radius) { return (2 * radius + 1) * (2 * radius + 1) * image.count(); }})

PENSTOCK_KERNEL("image.histogram", histogram,
                {.summary = "bins = how many pixels of image lie in each of their equal parts of [low, high).",
                 .arguments = {"image",
                               "bins",
                               {"low", "where the first bin begins", 0.0},
                               {"high", "where the last bin ends", 1.0}},
                 .check = [](const ps::Shape&, const ps::Shape&, double low, double high) {
                   return low < high ? "" : "high is not greater than low";
                 }})

PENSTOCK_KERNEL_DESCRIPTION(describe_flip)
