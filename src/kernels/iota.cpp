// iota: every element is its own index.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/text.hpp"
#include "kernels/whole.hpp"

namespace penstock::kernels {

namespace {

void run_iota(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  with_element_type(x.type.dtype, [&]<class T>(std::type_identity<T>) {
    for_each_run(context, x, place_of(context.parameters), [&](std::int64_t first, Interval run) {
      const std::span<T> out = elements<T>(x, run);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(first + static_cast<std::int64_t>(i));
    });
  });
}

std::string check_iota(Accesses accesses, Parameters parameters) {
  const ArrayType& x = accesses[0].type;
  const WholePlace place = place_of(parameters);
  if (std::string fault = place_fault(x, place); !fault.empty()) return fault;
  const std::int64_t last = *last_index(x.shape, place);
  if (x.dtype != DType::i32 || last <= std::numeric_limits<std::int32_t>::max()) return {};
  return "x is " + to_text(x) + " and its last element would be " + std::to_string(last) +
         ", but i32 counts to 2147483647 only";
}

}  // namespace

KernelDescription iota_kernel() {
  const auto [first, row_stride] = place_parameters();
  return {.name = "iota",
          .summary =
              "x = 0, 1, 2, ... in row-major order, or as a block of such an array; f32 rounds above 2^24, f64 above "
              "2^53.",
          .accesses = {writes("x")},
          .parameters = {first, row_stride},
          .cpu = run_iota,
          .allows_panels = true,
          .check = check_iota};
}

}  // namespace penstock::kernels
