// load and save: arrays from and to .npy files. The path is used on the rank that runs the task.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/paths.hpp"
#include "npy/block.hpp"
#include "npy/file.hpp"

namespace penstock::kernels {

namespace {

npy::BlockStart start_of(Parameters parameters) {
  return {.row = std::get<std::int64_t>(parameters[2]), .column = std::get<std::int64_t>(parameters[3])};
}

void run_load(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  const auto& path = std::get<std::string>(context.parameters[0]);
  const bool is_part = std::get<bool>(context.parameters[1]);
  if (is_part)
    npy::read_block(path, start_of(context.parameters), x.type, bytes_of(x));
  else
    npy::read_into(path, x.type, bytes_of(x));
}

void run_save(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  npy::write(std::get<std::string>(context.parameters[0]), x.type, bytes_of(x));
}

std::string check_load(Accesses accesses, Parameters parameters) {
  if (std::string fault = path_fault(parameters[0]); !fault.empty()) return fault;
  const npy::BlockStart start = start_of(parameters);
  if (std::get<bool>(parameters[1])) return block_fault(accesses[0].type, start);
  if (start.row == 0 && start.column == 0) return {};
  return "row is " + std::to_string(start.row) + " and column is " + std::to_string(start.column) +
         ", but part is false: the whole array begins at 0, 0";
}

std::string check_save(Accesses, Parameters parameters) { return path_fault(parameters[0]); }

}  // namespace

KernelDescription load_kernel() {
  return {.name = "load",
          .summary =
              "x = the array of an .npy file, whose shape and dtype are those of x; or, with part, the block of x's "
              "shape that begins at row and column of that array, of one or two extents, and nothing else is read.",
          .accesses = {writes("x")},
          .parameters = {text("path", std::nullopt, "the file to read, on the rank that runs the task"),
                         boolean("part", false, "x is a block of the file's array, not all of it"),
                         integer("row", 0, "with part, the first row of the block in the file's array, from 0"),
                         integer("column", 0, "with part, the first column, from 0; 0 for one extent")},
          .cpu = run_load,
          .check = check_load};
}

KernelDescription save_kernel() {
  return {.name = "save",
          .summary = "Writes x to an .npy file, whole or not at all.",
          .accesses = {reads("x")},
          .parameters = {text("path", std::nullopt, "the file to write, on the rank that runs the task")},
          .cpu = run_save,
          .check = check_save};
}

}  // namespace penstock::kernels
