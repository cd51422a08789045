// save_part and publish: one .npy file that many tasks, on any ranks, write block by block. It has another name until
// all blocks are there: publish waits for their counts, which the tasks write, and compares them with what it expects.
#include <cstdint>
#include <string>

#include <penstock/error.hpp>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"
#include "kernels/elements.hpp"
#include "kernels/paths.hpp"
#include "kernels/text.hpp"
#include "npy/block.hpp"

namespace penstock::kernels {

namespace {

struct Place {
  std::int64_t rows;
  std::int64_t columns;
  npy::BlockStart start;

  [[nodiscard]] Shape whole() const { return columns == 0 ? Shape{rows} : Shape{rows, columns}; }
};

Place place_in_file(Parameters parameters) {
  const auto number = [&](std::size_t index) { return std::get<std::int64_t>(parameters[index]); };
  return {.rows = number(1), .columns = number(2), .start = {.row = number(3), .column = number(4)}};
}

void run_save_part(const TaskContext& context) {
  const ArrayView& x = context.arrays[0];
  const Place place = place_in_file(context.parameters);
  npy::write_block(std::get<std::string>(context.parameters[0]), {x.type.dtype, place.whole()}, place.start, x.type,
                   bytes_of(x));
  elements<std::int64_t>(context.arrays[1], {0, 1})[0] = x.type.shape.count();
}

void run_publish(const TaskContext& context) {
  const auto& path = std::get<std::string>(context.parameters[0]);
  const std::int64_t wanted = std::get<std::int64_t>(context.parameters[1]);
  const std::int64_t written = elements<const std::int64_t>(context.arrays[0], {0, 1})[0];
  if (written != wanted) {
    throw Error(ErrorCode::invalid_argument, path + ": " + std::to_string(written) + " elements were written, but " +
                                                 std::to_string(wanted) + " are the whole array");
  }
  npy::publish(path, wanted);
}

std::string written_fault(const ArrayType& written) {
  if (is_one_element(written.shape)) return {};
  return "written is " + to_text(written) + ", but needs to be one element: [] or [1]";
}

/// Whether the extents are those of an array. Its size may be too much for one.
std::string whole_fault(const Place& place) {
  if (place.rows < 0) return "rows is " + std::to_string(place.rows) + ", but needs to be 0 or more";
  if (place.columns < 0) return "columns is " + std::to_string(place.columns) + ", but needs to be 0 or more";
  try {
    static_cast<void>(place.whole());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string check_save_part(Accesses accesses, Parameters parameters) {
  if (std::string fault = path_fault(parameters[0]); !fault.empty()) return fault;
  if (std::string fault = written_fault(accesses[1].type); !fault.empty()) return fault;
  const ArrayType& x = accesses[0].type;
  const Place place = place_in_file(parameters);
  if (std::string fault = block_fault(x, place.start); !fault.empty()) return fault;
  if (std::string fault = whole_fault(place); !fault.empty()) return fault;
  if (npy::is_within(x.shape, place.start, place.whole())) return {};
  return "x is " + to_text(x) + ", but " + place.whole().to_string() + " (rows and columns) has no such block at row " +
         std::to_string(place.start.row) + ", column " + std::to_string(place.start.column);
}

std::string check_publish(Accesses accesses, Parameters parameters) {
  if (std::string fault = path_fault(parameters[0]); !fault.empty()) return fault;
  if (std::string fault = written_fault(accesses[0].type); !fault.empty()) return fault;
  const std::int64_t wanted = std::get<std::int64_t>(parameters[1]);
  return wanted >= 0 ? "" : "elements is " + std::to_string(wanted) + ", but needs to be 0 or more";
}

}  // namespace

KernelDescription save_part_kernel() {
  return {.name = "save_part",
          .summary =
              "Writes x, of one or two extents, as a block of an array of rows by columns to the file path with "
              "\".partial\" behind its name, which any number of tasks on any ranks write at once and publish gives "
              "its name; written (one element of i64) = the number of elements of x.",
          .accesses = {reads("x"), writes("written", {DType::i64})},
          .parameters = {text("path", std::nullopt, "the .npy file that publish will make, without \".partial\""),
                         integer("rows", std::nullopt, "rows of the whole array"),
                         integer("columns", 0, "columns of the whole array; 0: it has one extent, rows"),
                         integer("row", 0, "the first row of x in the whole array, from 0"),
                         integer("column", 0, "the first column of x in the whole array, from 0")},
          .cpu = run_save_part,
          .check = check_save_part};
}

KernelDescription publish_kernel() {
  return {.name = "publish",
          .summary =
              "Gives the file that save_part wrote its name, path, once it is whole and on the disk: written (one "
              "element of i64, the sum of what the parts wrote) is elements, and the file has that size. Fails "
              "otherwise, naming the file, and leaves what was there under that name.",
          .accesses = {reads("written", {DType::i64})},
          .parameters = {text("path", std::nullopt, "the .npy file to make, as save_part was given it"),
                         integer("elements", std::nullopt, "the number of elements of the whole array")},
          .cpu = run_publish,
          .check = check_publish};
}

}  // namespace penstock::kernels
