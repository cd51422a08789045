// A tool that watches a program by NVTX, as Nsight is one: it notes the ranges that the program names. A library that
// NVTX opens where NVTX_INJECTION64_PATH names it.
#include <nvtx3/nvToolsExt.h>

#include <mutex>
#include <string>

namespace {

struct Ranges {
  std::mutex mutex;  // guards what follows
  std::string names;
  int open = 0;
};

Ranges& ranges() {
  static auto* const all = new Ranges;
  return *all;
}

int push(const char* name) {
  const std::lock_guard lock(ranges().mutex);
  ranges().names.append(name).append("; ");
  return ranges().open++;
}

int pop() {
  const std::lock_guard lock(ranges().mutex);
  return --ranges().open;
}

}  // namespace

/// NVTX asks for it by its name; 1: it may be used.
extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);
extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(get_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned count = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &count) == 0) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

/// The names of the ranges so far, each with "; " behind it; for the test.
extern "C" const char* penstock_watched_ranges();
extern "C" const char* penstock_watched_ranges() {
  const std::lock_guard lock(ranges().mutex);
  static std::string copy;
  copy = ranges().names + std::to_string(ranges().open) + " open";
  return copy.c_str();
}
