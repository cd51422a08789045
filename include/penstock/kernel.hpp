/// Kernels: what a task runs. A kernel is a name, the accesses and parameters it takes, and one body per kind of
/// device. Kernels are registered while the program's static objects are built, or loaded from plugins before the first
/// runtime, the same on every rank. Most are described by their body's own types: <penstock/typed_kernel.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <penstock/types.hpp>

struct CUstream_st;
struct cublasContext;

namespace penstock {

/// What a task does with one datum.
enum class AccessMode : std::uint8_t {
  read = 0,
  write = 1,
  read_write = 2,
  commute = 3,  ///< read-write, in any order with others that commute, one at a time
  reduce = 4,   ///< into a private array, which is combined with others' in a fixed order
};

/// The access as a kernel's description has it: a body finds an array that it reads and writes.
constexpr AccessMode seen_by_body(AccessMode mode) {
  return mode == AccessMode::commute || mode == AccessMode::reduce ? AccessMode::read_write : mode;
}

enum class ParameterType : std::uint8_t { boolean = 0, integer = 1, real = 2, text = 3 };

/// The value of a parameter; the alternatives are in the order of ParameterType.
using Parameter = std::variant<bool, std::int64_t, double, std::string>;

/// An array in host memory as a kernel body sees it: contiguous, row-major, valid for the call.
struct ArrayView {
  std::byte* data = nullptr;  ///< bytes() of them; aligned to 64 bytes; not to be written when accessed by read
  ArrayType type;
};

/// One call of a kernel body. A kernel that allows panels may be called `panel_count` times for one task, at once and
/// on several cores; each call makes its own part of the output.
struct TaskContext {
  std::span<const ArrayView> arrays;      ///< in the order of KernelDescription::accesses
  std::span<const Parameter> parameters;  ///< in the order of KernelDescription::parameters, defaults filled in
  int panel = 0;
  int panel_count = 1;
};

/// One call of a kernel's body for GPUs, on a thread for which the GPU is current: it queues its work on the stream and
/// returns without waiting. It leaves GPU and handle as it finds them. After it CUDA is asked whether a launch was
/// refused: the task then failed, with CUDA's name for that. To be heard there, a body that nvcc compiles is linked to
/// the shared CUDA runtime, as penstock is.
struct CudaContext {
  std::span<const ArrayView> arrays;      ///< in GPU memory, in the order of KernelDescription::accesses
  std::span<const Parameter> parameters;  ///< as in TaskContext
  CUstream_st* stream = nullptr;          ///< a cudaStream_t
  cublasContext* cublas = nullptr;        ///< a cublasHandle_t, set to the stream
  std::byte* scratch = nullptr;           ///< GPU memory for this call alone, in the order of the stream
  std::size_t scratch_bytes = 0;          ///< 1 MiB
};

struct AccessDescription {
  std::string name;
  AccessMode mode = AccessMode::read;
  std::vector<DType> dtypes;       ///< those allowed; empty: all
  bool allows_read_write = false;  ///< a write that a task may also declare read-write (gemm's c when beta != 0)
};

struct ParameterDescription {
  std::string name;
  ParameterType type = ParameterType::real;
  std::optional<Parameter> default_value;  ///< absent: must be given
  std::string meaning;                     ///< one phrase with the unit
};

/// One access of a concrete task, as KernelDescription::check sees it.
struct TaskAccess {
  AccessMode mode = AccessMode::read;
  ArrayType type;
};

/// All that is known of a kernel. Bodies may throw anything: the task then failed, with that message.
struct KernelDescription {
  std::string name;
  std::string summary;  ///< one sentence with shapes and units
  std::vector<AccessDescription> accesses;
  std::vector<ParameterDescription> parameters;
  /// For cores: called from any worker, several at once; must not keep the views. May be absent where there is one for
  /// GPUs: then tasks run there alone, and are refused where there is none.
  std::function<void(const TaskContext&)> cpu;
  /// For GPUs: called from a thread of each, several at once. May be absent.
  std::function<void(const CudaContext&)> cuda = {};
  bool allows_panels = false;
  /// Its body brings its own parallelism: it is called once, with an OpenMP team of as many threads as the task has
  /// cores, while that many workers rest. Not for panels.
  bool uses_openmp = false;
  /// What does not fit between shapes, dtypes, modes and parameters, in one line; empty: all fits. Pure. May be absent.
  std::function<std::string(std::span<const TaskAccess>, std::span<const Parameter>)> check = {};
  /// Floating-point operations of a task that passed the check. Pure. Absent: not known.
  std::function<double(std::span<const TaskAccess>, std::span<const Parameter>)> flops = {};
  /// Bytes of memory that a task has to move. Pure. Absent: those of its accesses, twice where it reads and writes.
  std::function<double(std::span<const TaskAccess>, std::span<const Parameter>)> bytes = {};
};

/// Adds a kernel to the table of this process. To be called while static objects are built, or at least before the
/// first Runtime; throws Error (invalid_argument) when the name is taken or no body is given.
void register_kernel(KernelDescription description);

/// Adds the kernels of a plugin, a shared object made with <penstock/plugin.hpp>, to the table of this process, for
/// submit(KernelName("name"), ...). To be called before the first Runtime, on every rank alike; a plugin that is loaded
/// is left as it is. Nothing of it stays in the table when it throws: Error (invalid_argument), one line that names the
/// plugin, when the file is missing, may be written by others, belongs to neither the user nor root, is no plugin or
/// one of another build, or has a kernel whose name is taken.
void load_plugin(const std::string& path);

/// A kernel by name; what submit() takes for built-in kernels and those of plugins, whose arguments are checked when
/// submitted. Borrows the name, which must outlive it.
class KernelName {
 public:
  explicit constexpr KernelName(const char* name) : name_(name) {}
  [[nodiscard]] constexpr const char* name() const { return name_; }

 private:
  const char* name_;
};

}  // namespace penstock
