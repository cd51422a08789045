#include "jobs/test_kernels.hpp"

#include <cmath>
#include <optional>
#include <utility>

namespace penstock::jobs::test {

namespace {

using Accesses = std::span<const TaskAccess>;
using Parameters = std::span<const Parameter>;

std::string check_gemm(Accesses accesses, Parameters parameters) {
  const Shape& a = accesses[0].type.shape;
  const Shape& b = accesses[1].type.shape;
  const Shape& c = accesses[2].type.shape;
  if (a.dimensions() != 2 || b.dimensions() != 2 || c.dimensions() != 2) return "a, b and c must be matrices";
  const bool transpose_a = std::get<bool>(parameters[0]);
  const bool transpose_b = std::get<bool>(parameters[1]);
  if (a[transpose_a ? 0 : 1] != b[transpose_b ? 1 : 0]) return "the columns of op(a) must be the rows of op(b)";
  if (c[0] != a[transpose_a ? 1 : 0] || c[1] != b[transpose_b ? 0 : 1]) return "c has the wrong shape";
  if (std::get<double>(parameters[3]) != 0.0 && accesses[2].mode != AccessMode::read_write)
    return "beta needs c read_write";
  return "";
}

std::string check_add(Accesses accesses, Parameters /*parameters*/) {
  const bool equal = accesses[0].type == accesses[1].type && accesses[1].type == accesses[2].type;
  return equal ? "" : "a, b and c must have one dtype and shape";
}

std::string check_uniform(Accesses /*accesses*/, Parameters parameters) {
  const double low = std::get<double>(parameters[1]);
  const double high = std::get<double>(parameters[2]);
  return std::isfinite(low) && std::isfinite(high) && low < high ? "" : "low and high are no interval";
}

AccessDescription access(const char* name, AccessMode mode) { return {.name = name, .mode = mode, .dtypes = {}}; }

ParameterDescription parameter(const char* name, ParameterType type, std::optional<Parameter> value = std::nullopt) {
  return {.name = name, .type = type, .default_value = std::move(value), .meaning = ""};
}

KernelDescription describe(const char* name, std::vector<AccessDescription> accesses,
                           std::vector<ParameterDescription> parameters) {
  KernelDescription kernel;
  kernel.name = name;
  kernel.accesses = std::move(accesses);
  kernel.parameters = std::move(parameters);
  return kernel;
}

std::vector<KernelDescription> make_kernels() {
  using enum AccessMode;
  using enum ParameterType;
  const std::vector<DType> reals{DType::f32, DType::f64};
  std::vector<KernelDescription> all;
  all.push_back(describe("gemm", {access("a", read), access("b", read), access("c", write)},
                         {parameter("transpose_a", boolean, false), parameter("transpose_b", boolean, false),
                          parameter("alpha", real, 1.0), parameter("beta", real, 0.0)}));
  all.back().accesses[2].allows_read_write = true;
  for (AccessDescription& each : all.back().accesses) each.dtypes = reals;
  all.back().check = check_gemm;
  all.push_back(describe("add", {access("a", read), access("b", read), access("c", write)}, {}));
  all.back().check = check_add;
  all.push_back(describe("increment", {access("x", read_write)}, {parameter("by", real, 1.0)}));
  all.push_back(describe("mix", {access("x", read_write), access("y", read_write)}, {parameter("by", real, 1.0)}));
  all.push_back(
      describe("uniform", {access("x", write)},
               {parameter("seed", integer), parameter("low", real, 0.0), parameter("high", real, 1.0),
                parameter("first", integer, std::int64_t{0}), parameter("row_stride", integer, std::int64_t{0})}));
  all.back().check = check_uniform;
  all.push_back(
      describe("normal", {access("x", write)},
               {parameter("seed", integer), parameter("mean", real, 0.0), parameter("deviation", real, 1.0),
                parameter("first", integer, std::int64_t{0}), parameter("row_stride", integer, std::int64_t{0})}));
  all.push_back(describe("fill", {access("x", write)}, {parameter("value", real)}));
  all.push_back(
      describe("iota", {access("x", write)},
               {parameter("first", integer, std::int64_t{0}), parameter("row_stride", integer, std::int64_t{0})}));
  all.push_back(describe("load", {access("x", write)},
                         {parameter("path", text), parameter("part", boolean, false),
                          parameter("row", integer, std::int64_t{0}), parameter("column", integer, std::int64_t{0})}));
  all.push_back(describe("save", {access("x", read)}, {parameter("path", text)}));
  all.push_back(
      describe("save_part", {access("x", read), access("written", write)},
               {parameter("path", text), parameter("rows", integer), parameter("columns", integer, std::int64_t{0}),
                parameter("row", integer, std::int64_t{0}), parameter("column", integer, std::int64_t{0})}));
  all.push_back(
      describe("publish", {access("written", read)}, {parameter("path", text), parameter("elements", integer)}));
  all.push_back(describe("spin", {}, {parameter("microseconds", real)}));
  all.push_back(
      describe("combine", {access("into", read_write), access("from", read)}, {parameter("operation", text)}));
  all.push_back(describe("neutral", {access("x", write)}, {parameter("operation", text)}));
  all.push_back(describe("larger", {access("into", read_write), access("from", read)}, {}));
  all.back().accesses[0].dtypes = reals;
  return all;
}

}  // namespace

std::span<const KernelDescription* const> kernels() {
  static const std::vector<KernelDescription> all = make_kernels();
  static const std::vector<const KernelDescription*> pointers = [] {
    std::vector<const KernelDescription*> result;
    for (const KernelDescription& each : all) result.push_back(&each);
    return result;
  }();
  return pointers;
}

std::string path_of(const Step& step) { return std::get<std::string>(step.parameters[step.result_parameter]); }

std::string text_of(const Job& job, const Step& step) {
  const std::string datum = job.datum_name(step.datum);
  switch (step.kind) {
    case Step::Kind::make:
      return "make " + datum;
    case Step::Kind::save:
      return "save " + job.datum_name(step.accesses[0].datum) + ' ' + path_of(step);
    case Step::Kind::release:
      return "release " + datum;
    case Step::Kind::pause:
      return "pause";
    case Step::Kind::task:
      break;
  }
  std::string line = (step.is_origin ? "*" : step.is_part ? "~" : "") + step.kernel->name;
  for (const DatumAccess& each : step.accesses) {
    constexpr const char* signs[] = {" ", " >", " +", " %", " &"};
    line += signs[static_cast<std::size_t>(each.mode)];
    line += job.datum_name(each.datum);
  }
  return line;
}

std::vector<std::string> steps_of(const Job& job) {
  std::vector<std::string> lines;
  Stream stream = job.stream();
  for (Step step; stream.next(step);) lines.push_back(text_of(job, step));
  return lines;
}

}  // namespace penstock::jobs::test
