/// Everything that a plugin needs: a shared object with kernels for job files, named there by `[job] plugins =
/// ["my.so"]`, and for programs, by ps::load_plugin(). One or more source files, each with kernels at namespace scope:
///
///     #include <penstock/plugin.hpp>
///     namespace ps = penstock;
///
///     PENSTOCK_KERNEL(
///         "saxpy",
///         [](ps::In<float> x, ps::InOut<float> y, double alpha) {
///           for (std::size_t i = 0; i < y.size(); ++i) y[i] += static_cast<float>(alpha) * x[i];
///         },
///         {.summary = "y = y + alpha * x, by element.",
///          .arguments = {"x", "y", {"alpha", "factor of x", 1.0}},
///          .check = [](auto x, auto y, double) { return x == y ? "" : "x and y have different shapes"; },
///          .flops = [](auto, auto y, double) { return 2 * y.count(); }})
///
/// and two lines of CMake: find_package(penstock REQUIRED) and penstock_add_plugin(my my.cpp), which makes my.so; of
/// my.cu too, which nvcc compiles, where kernels have bodies for GPUs. By hand: c++ -std=c++20 -O2 -shared -fPIC
/// -fvisibility=hidden. A plugin is compiled against the headers and linked to
/// nothing of penstock: what it calls of the library is found, when it is loaded, in the one copy that loads it, so a
/// second copy can never come in. ps::kernel() and register_kernel() are for programs and must not be used in a plugin:
/// they would reach into penstock before it is known whether the two fit.
#pragma once

#include <utility>
#include <vector>

#include <penstock/kernel.hpp>
#include <penstock/plugin_abi.hpp>
#include <penstock/typed_kernel.hpp>
#include <penstock/types.hpp>

namespace penstock::detail {

/// One kernel of this plugin, in a list of the plugin's own: hidden, or two plugins would share one list. Made while
/// the plugin is loaded; the description is made only when penstock asks for it.
class [[gnu::visibility("hidden")]] PluginKernel {
 public:
  using Describe = KernelDescription (*)();
  explicit PluginKernel(Describe describe) noexcept : describe_(describe), next_(first_) { first_ = this; }
  PluginKernel(const PluginKernel&) = delete;
  PluginKernel& operator=(const PluginKernel&) = delete;

  static std::vector<KernelDescription> describe_all() {
    std::vector<KernelDescription> kernels;
    for (const PluginKernel* kernel = first_; kernel != nullptr; kernel = kernel->next_) {
      kernels.push_back(kernel->describe_());
    }
    return kernels;
  }

 private:
  inline static const PluginKernel* first_ = nullptr;

  const Describe describe_;
  const PluginKernel* const next_;
};

}  // namespace penstock::detail

// Weak, as each source file of a plugin defines it; not inline, since the loader makes one of all inline variables of a
// name, across all plugins.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern const penstock::PluginHeader penstock_plugin;
const penstock::PluginHeader penstock_plugin =  // NOLINT(misc-definitions-in-headers): weak
    penstock::make_plugin_header(&penstock::detail::PluginKernel::describe_all);
}

#define PENSTOCK_JOINED_AGAIN(left, right) left##right
#define PENSTOCK_JOINED(left, right) PENSTOCK_JOINED_AGAIN(left, right)

/// PENSTOCK_KERNEL(name, body, {facts}): a typed kernel; the facts (KernelFacts) may be left out. At namespace scope.
#define PENSTOCK_KERNEL(...) \
  PENSTOCK_KERNEL_DESCRIPTION([] { return ::penstock::detail::describe_kernel(__VA_ARGS__); })

/// PENSTOCK_KERNEL_DESCRIPTION(function): any kernel; the function, or lambda without captures, takes nothing and
/// returns its KernelDescription. For arrays of several dtypes, and for kernels that run as panels.
#define PENSTOCK_KERNEL_DESCRIPTION(...)                                                              \
  namespace {                                                                                         \
  const ::penstock::detail::PluginKernel PENSTOCK_JOINED(penstock_kernel_, __COUNTER__)(__VA_ARGS__); \
  }
