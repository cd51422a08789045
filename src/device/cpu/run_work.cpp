#include "device/cpu/run_work.hpp"

#include <cxxabi.h>

#include <exception>
#include <string>

#include <penstock/error.hpp>

#include "core/parameters.hpp"

namespace penstock::device {
namespace {

void run_body(const Work& work, std::vector<Parameter>& scratch) {
  const KernelDescription& kernel = *work.kernel;
  if (!kernel.cpu) throw Error(ErrorCode::invalid_argument, "kernel " + kernel.name + " has no body for cores");
  if (!core::decode_parameters(work.parameters, scratch)) {
    throw Error(ErrorCode::invalid_argument, "the parameters of kernel " + kernel.name + " are damaged");
  }
  const bool is_whole = kernel.uses_openmp;  // called once, for all pieces
  kernel.cpu({.arrays = work.arrays,
              .parameters = scratch,
              .panel = is_whole ? 0 : work.panel,
              .panel_count = is_whole ? 1 : work.panel_count});
}

void fail(Completion& completion, const char* message) {
  completion.failed = true;
  completion.message = *message == '\0' ? "exception without a message" : message;
}

}  // namespace

void run_work(Work& work, Completions& completions, std::vector<Parameter>& scratch, Completion& completion) {
  try {
    if (completions.prepare(work)) run_body(work, scratch);
  } catch (const std::exception& error) {
    fail(completion, error.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // the thread ends; the C library aborts the process when this is swallowed
  } catch (...) {
    fail(completion, "unknown exception");
  }
}

}  // namespace penstock::device
