// load and save: arrays from and to .npy files. The path is used on the rank that runs the task.
#include <cstddef>
#include <span>
#include <string>

#include "kernels/builtin.hpp"
#include "npy/file.hpp"

namespace penstock::kernels {

namespace {

std::span<std::byte> bytes_of(const ArrayView& array) {
  return {array.data, static_cast<std::size_t>(array.type.bytes())};
}

void run_load(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  npy::read_into(std::get<std::string>(context.parameters[0]), x.type, bytes_of(x));
}

void run_save(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  npy::write(std::get<std::string>(context.parameters[0]), x.type, bytes_of(x));
}

std::string check_path(std::span<const TaskAccess>, std::span<const Parameter> parameters) {
  const auto& path = std::get<std::string>(parameters[0]);
  if (path.empty()) return "path is empty";
  return path.find('\0') == std::string::npos ? "" : "path has a zero byte in it";
}

KernelDescription file_kernel(const char* name, AccessMode mode, const char* summary, const char* meaning) {
  return {
      .name = name,
      .summary = summary,
      .accesses = {{.name = "x", .mode = mode, .dtypes = {}}},
      .parameters = {{.name = "path", .type = ParameterType::text, .default_value = std::nullopt, .meaning = meaning}},
      .cpu = mode == AccessMode::write ? run_load : run_save,
      .check = check_path};
}

}  // namespace

KernelDescription load_kernel() {
  return file_kernel("load", AccessMode::write, "x = the array of an .npy file, whose shape and dtype are those of x.",
                     "the file to read, on the rank that runs the task");
}

KernelDescription save_kernel() {
  return file_kernel("save", AccessMode::read, "Writes x to an .npy file, whole or not at all.",
                     "the file to write, on the rank that runs the task");
}

}  // namespace penstock::kernels
