// `penstock devices` and `kernels`: what is there, without running anything.
#include "core/cores.hpp"
#include "core/gpu_sharing.hpp"
#include "kernels/function.hpp"
#include "kernels/table.hpp"
#include "observe/device_table.hpp"
#include "observe/units.hpp"
#include "plugins/loader.hpp"
#include "runtime/commands.hpp"
#include "runtime/connection.hpp"
#include "runtime/handshake.hpp"
#include "runtime/kernel_list.hpp"

namespace penstock::runtime {

namespace {

std::string describe_gpus(const cluster::Hello& hello, const cluster::Welcome& given) {
  if (given.gpus.empty()) return hello.gpus;  // why
  return core::explain({.host = {}, .cores = given.cores, .gpus = hello.visible_gpus}, given.gpus) + ": " + hello.gpus;
}

}  // namespace

int list_devices(std::ostream& out, bool json) {
  std::vector<cluster::Hello> hellos;
  if (!gather_hellos(hellos)) return exit_code::all_done;
  const std::vector<cluster::Welcome> given = shares(hellos);  // as a run would share a host out
  std::vector<observe::DeviceRow> rows;
  for (const cluster::Hello& hello : hellos) {
    const cluster::Welcome& own = given[rows.size()];
    rows.push_back({.rank = static_cast<int>(rows.size()),
                    .host = hello.cores.host,
                    .cores = "cpu " + core::to_text(own.cores) + " of " + hello.cores_reason,
                    .gpus = describe_gpus(hello, own),
                    .memory = observe::bytes_text(static_cast<std::uint64_t>(hello.memory_bytes)),
                    .mpi = hello.mpi});
  }
  out << (json ? to_json(rows) : to_screen(rows));
  return exit_code::all_done;
}

int list_kernels(const KernelsOptions& options, std::ostream& out) {
  for (const std::filesystem::path& plugin : options.plugins) {
    static_cast<void>(plugins::Loader::process().load(plugin));
  }
  const kernels::KernelTable& table = kernels::KernelTable::process();
  const std::vector<plugins::Plugin> plugins = plugins::Loader::process().loaded();
  if (options.kernel) {
    const KernelDescription& kernel = table[table.at(*options.kernel)];
    out << (options.json ? kernel_json(kernel, plugins) : kernel_text(kernel, plugins));
  } else {
    std::vector<const KernelDescription*> kernels(table.all().begin(), table.all().end());
    std::erase_if(kernels, [](const KernelDescription* each) { return each->name == kernels::functions::kernel; });
    out << (options.json ? kernels_json(kernels, plugins) : kernels_text(kernels));
  }
  return exit_code::all_done;
}

}  // namespace penstock::runtime
