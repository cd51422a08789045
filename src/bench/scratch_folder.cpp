#include "bench/scratch_folder.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <penstock/error.hpp>

namespace penstock::bench {

namespace {

std::filesystem::path parent_for(std::uint64_t bytes) {
  std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  const auto space = std::filesystem::space(memory, error);
  if (!error && space.available >= bytes && access(memory.c_str(), W_OK) == 0) return memory;
  return std::filesystem::temp_directory_path();
}

}  // namespace

ScratchFolder::ScratchFolder(std::uint64_t bytes) {
  std::string name = (parent_for(bytes) / ("penstock-bench-" + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::environment, "cannot make " + name + ": " + std::generic_category().message(errno));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void ScratchFolder::empty() const {
  for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(entry);
}

}  // namespace penstock::bench
