#include "runtime/kernel_list.hpp"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace penstock::runtime {
namespace {

using nlohmann::json;

KernelDescription scale_kernel() {
  KernelDescription kernel;
  kernel.name = "scale";
  kernel.summary = "y = factor * x + y, when y is read too.";
  kernel.accesses = {
      {.name = "x", .mode = AccessMode::read, .dtypes = {}},
      {.name = "y", .mode = AccessMode::write, .dtypes = {DType::f32, DType::f64}, .allows_read_write = true}};
  kernel.parameters = {{.name = "factor", .type = ParameterType::real, .default_value = 2.0, .meaning = "of x"},
                       {.name = "label", .type = ParameterType::text, .default_value = {}, .meaning = {}},
                       {.name = "times", .type = ParameterType::integer, .default_value = {}, .meaning = "how often"}};
  kernel.cpu = [](const TaskContext&) {};
  kernel.allows_panels = true;
  kernel.flops = [](std::span<const TaskAccess>, std::span<const Parameter>) { return 1.0; };
  return kernel;
}

const KernelDescription scale = scale_kernel();
const KernelDescription bare{
    .name = "bare", .summary = {}, .accesses = {}, .parameters = {}, .cpu = {}, .cuda = [](const CudaContext&) {}};
const std::array plugins{plugins::Plugin{.path = "/opt/scale.so", .sha256 = "12ef", .kernels = {"scale", "unscale"}}};

TEST(KernelList, ShowsABlockForEachKernel) {
  const std::array<const KernelDescription*, 2> kernels{&bare, &scale};

  EXPECT_EQ(kernels_text(kernels),
            "bare\n"
            "    device  cuda  one GPU\n"
            "\n"
            "scale\n"
            "    y = factor * x + y, when y is read too.\n"
            "    read                 x       any\n"
            "    write or read_write  y       f32, f64\n"
            "    parameter            factor  real = 2  of x\n"
            "    parameter            label   text\n"
            "    parameter            times   integer   how often\n"
            "    device               cpu     one core, or panels on several\n"
            "    device               cuda    one GPU\n");
}

TEST(KernelList, ShowsWhereAKernelComesFromAndHowItIsUsed) {
  const std::string text = kernel_text(scale, plugins);

  EXPECT_EQ(text.substr(text.find("\n\n")),
            "\n\n"
            "from         /opt/scale.so\n"
            "sha256       12ef\n"
            "operations   known of each task\n"
            "bytes moved  those of its arrays\n"
            "\n"
            "In a job file, the data named as there:\n"
            "\n"
            "[[task]]\n"
            "kernel = \"scale\"\n"
            "read = [\"x\"]\n"
            "write = [\"y\"]\n"
            "parameters = { \"factor\" = 2.0, \"label\" = \"\", \"times\" = 0 }\n");
}

TEST(KernelList, ShowsThatAKernelIsBuiltIn) {
  EXPECT_EQ(kernel_text(bare, plugins),
            "bare\n"
            "    device  cuda  one GPU\n"
            "\n"
            "from         penstock itself\n"
            "operations   not known\n"
            "bytes moved  those of its arrays\n"
            "\n"
            "In a job file, the data named as there:\n"
            "\n"
            "[[task]]\n"
            "kernel = \"bare\"\n");
}

TEST(KernelList, IsJsonToo) {
  const std::array<const KernelDescription*, 2> kernels{&bare, &scale};

  const json document = json::parse(kernels_json(kernels, plugins));

  EXPECT_EQ(document["plugins"], json::parse(R"([{"path": "/opt/scale.so", "sha256": "12ef"}])"));
  EXPECT_EQ(document["kernels"][1], json::parse(kernel_json(scale, plugins)));
  EXPECT_EQ(document["kernels"][1], json::parse(R"({
    "name": "scale", "summary": "y = factor * x + y, when y is read too.", "plugin": "/opt/scale.so", "panels": true,
    "openmp": false, "devices": ["cpu", "cuda"], "flops": true, "bytes": false,
    "accesses": [{"name": "x", "modes": ["read"], "dtypes": null},
                 {"name": "y", "modes": ["write", "read_write"], "dtypes": ["f32", "f64"]}],
    "parameters": [{"name": "factor", "type": "real", "default": 2.0, "meaning": "of x"},
                   {"name": "label", "type": "text", "default": null, "meaning": ""},
                   {"name": "times", "type": "integer", "default": null, "meaning": "how often"}]})"));
  EXPECT_TRUE(document["kernels"][0]["plugin"].is_null());
}

}  // namespace
}  // namespace penstock::runtime
