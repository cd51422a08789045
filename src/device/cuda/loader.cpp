#include "device/cuda/loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <penstock/error.hpp>

namespace penstock::device {
namespace {

constexpr const char* module_file = "libpenstock_cuda.so";

struct CloseLibrary {
  void operator()(void* library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

Library open_library(const std::filesystem::path& path) { return Library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)); }

/// What dlerror() says, on one line.
std::string loader_error() {
  const char* text = dlerror();
  std::string line = text == nullptr ? "unknown error" : text;
  std::ranges::replace(line, '\n', ' ');
  return line;
}

/// The folder of the program or shared library that this code is in.
std::filesystem::path own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;  // a program found through PATH has no folder in its name; /proc knows
  const std::filesystem::path given(info.dli_fname);
  const auto file = std::filesystem::exists(given, error) ? std::filesystem::canonical(given, error)
                                                          : std::filesystem::read_symlink("/proc/self/exe", error);
  return file.parent_path();
}

/// In the folder `penstock` beside the library, or below the lib folder beside that of a program that holds the
/// library's code itself.
std::filesystem::path find_module() {
  const std::filesystem::path folder = own_folder();
  std::error_code error;
  for (const auto& place : {folder / "penstock", folder / ".." / "lib" / "penstock"}) {
    if (std::filesystem::exists(place / module_file, error)) return place / module_file;
  }
  return {};
}

bool has_driver() { return open_library("libcuda.so.1") != nullptr; }

}  // namespace

std::string why_hidden(const char* cuda_visible_devices) {
  if (cuda_visible_devices == nullptr) return {};
  const std::string_view value(cuda_visible_devices);
  if (value.find_first_not_of(' ') == std::string_view::npos) return "no GPU: CUDA_VISIBLE_DEVICES is empty";
  if (value == "-1") return "no GPU: CUDA_VISIBLE_DEVICES is -1";
  return {};
}

CudaGpus CudaGpus::find() {
  if (std::string why = why_hidden(std::getenv("CUDA_VISIBLE_DEVICES")); !why.empty()) return CudaGpus(std::move(why));
  const std::filesystem::path path = find_module();
  if (path.empty()) return CudaGpus(std::string("no GPU: this build has no CUDA module (") + module_file + ")");
  if (!has_driver()) return CudaGpus("no GPU: no CUDA driver on this machine (libcuda.so.1)");
  return load(path);
}

CudaGpus CudaGpus::load(const std::filesystem::path& path) {
  Library library = open_library(path);
  if (library == nullptr) return CudaGpus("no GPU: the CUDA module cannot be loaded: " + loader_error());
  const auto entry = reinterpret_cast<CudaModuleEntry>(dlsym(library.get(), cuda_module_entry));
  if (entry == nullptr) return CudaGpus("no GPU: " + path.string() + " is no CUDA module of penstock");
  const CudaModule* module = entry();
  if (module == nullptr || module->abi_version != cuda_abi_version) {
    return CudaGpus("no GPU: " + path.string() + " has interface version " +
                    std::to_string(module == nullptr ? 0 : module->abi_version) + ", this program needs version " +
                    std::to_string(cuda_abi_version));
  }
  CudaGpus found;
  found.module_ = module;
  // From here on the library stays: CUDA keeps threads and exit handlers, and does not bear being unloaded.
  static_cast<void>(library.release());
  module->probe(found.gpus_, found.why_none_);
  if (found.gpus_.empty() && found.why_none_.empty()) found.why_none_ = "no GPU: CUDA sees none";
  if (!found.gpus_.empty()) found.why_none_.clear();
  return found;
}

std::unique_ptr<Accelerator> CudaGpus::open(const GpuOptions& options, Completions& completions,
                                            TransferEnds& transfers) const {
  if (options.index < 0 || static_cast<std::size_t>(options.index) >= gpus_.size()) {
    throw Error(ErrorCode::invalid_argument, "there is no GPU " + std::to_string(options.index));
  }
  std::string why;
  std::unique_ptr<Accelerator> device(module_->open(options, completions, transfers, why));
  if (device == nullptr) throw Error(ErrorCode::environment, "GPU " + std::to_string(options.index) + ": " + why);
  return device;
}

}  // namespace penstock::device
