#include "kernels/function.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <variant>

#include <penstock/error.hpp>

#include "kernels/builtin.hpp"
#include "kernels/describe.hpp"

namespace penstock::kernels {

namespace {

struct Kept {
  std::function<void(const ArrayView&)> function;
  const void* owner = nullptr;
};

struct Functions {
  std::mutex mutex;  // guards what follows
  std::map<std::int64_t, Kept> kept;
  std::int64_t last = 0;
};

/// Never destroyed: tasks may run while the process exits.
Functions& all() {
  static auto* const functions = new Functions;
  return *functions;
}

void run_function(const TaskContext& context) {
  const std::int64_t number = std::get<std::int64_t>(context.parameters[0]);
  std::function<void(const ArrayView&)> function;
  {
    Functions& functions = all();
    const std::lock_guard lock(functions.mutex);
    auto node = functions.kept.extract(number);
    if (!node.empty()) function = std::move(node.mapped().function);
  }
  if (!function) {
    throw Error(ErrorCode::invalid_argument, "kernel then is for Runtime::then(), which gives its function a number");
  }
  function(context.arrays[0]);
}

}  // namespace

std::int64_t functions::keep(std::function<void(const ArrayView&)> function, const void* owner) {
  Functions& functions = all();
  const std::lock_guard lock(functions.mutex);
  functions.kept.emplace(++functions.last, Kept{std::move(function), owner});
  return functions.last;
}

void functions::let_go(const void* owner) {
  Functions& functions = all();
  const std::lock_guard lock(functions.mutex);
  std::erase_if(functions.kept, [owner](const auto& entry) { return entry.second.owner == owner; });
}

void functions::let_go(std::int64_t number) {
  Functions& functions = all();
  const std::lock_guard lock(functions.mutex);
  functions.kept.erase(number);
}

KernelDescription then_kernel() {
  return {.name = functions::kernel,
          .summary = "Calls a function of the program with x: what Runtime::then() submits.",
          .accesses = {reads("x")},
          .parameters =
              {{.name = "number", .type = ParameterType::integer, .default_value = {}, .meaning = "of the function"}},
          .cpu = run_function};
}

}  // namespace penstock::kernels
