#include "kernels/matrix.hpp"

#include <cstddef>
#include <limits>

#include "kernels/text.hpp"

namespace penstock::kernels {

std::string matrix_fault(const TaskAccess& access, std::string_view name, bool is_square) {
  const Shape& shape = access.type.shape;
  const std::string begin = std::string(name) + " is " + to_text(access.type);
  if (shape.dimensions() != 2) return begin + ", but needs two extents";
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (shape[0] > most || shape[1] > most) return begin + ", but BLAS takes extents up to 2147483647";
  if (is_square && shape[0] != shape[1]) return begin + ", but needs to be square";
  return {};
}

std::string matrix_beside_a_fault(Accesses accesses, std::size_t index, std::string_view name) {
  std::string fault = matrix_fault(accesses[index], name);
  const ArrayType& type = accesses[index].type;
  const DType wanted = accesses[0].type.dtype;
  if (!fault.empty() || type.dtype == wanted) return fault;
  return std::string(name) + " is " + to_text(type) + ", but a is " + std::string(penstock::name_of(wanted)) +
         ": dtypes need to be equal";
}

std::string beta_fault(double beta, const TaskAccess& c) {
  if (beta == 0.0 || c.mode == AccessMode::read_write) return {};
  return "beta is " + to_text(beta) + ", but c is written only: its access needs to be read_write";
}

}  // namespace penstock::kernels
