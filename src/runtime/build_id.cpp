#include "runtime/build_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include <penstock/version.hpp>

namespace penstock::runtime {

namespace {

/// The GNU build id among the notes of one segment; empty when it is not there.
std::string id_in_notes(const char* notes, std::size_t size) {
  const auto aligned = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const char* const name = notes + at + sizeof note;
    const char* const content = name + aligned(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(name, note.n_namesz).starts_with("GNU")) {
      std::string id;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        constexpr const char* digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(content[i]);
        id += digits[byte / 16];
        id += digits[byte % 16];
      }
      return id;
    }
    at += sizeof note + aligned(note.n_namesz) + aligned(note.n_descsz);
  }
  return {};
}

int add_id(dl_phdr_info* object, std::size_t /*size*/, void* ids) {
  const std::string_view name = object->dlpi_name;
  if (!name.empty() && name.find("libpenstock") == std::string_view::npos) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // An address that the loader gives as a number.
    const auto* const notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    const std::string id = id_in_notes(notes, segment.p_memsz);
    if (!id.empty()) *static_cast<std::string*>(ids) += (static_cast<std::string*>(ids)->empty() ? "" : "+") + id;
  }
  return 0;
}

}  // namespace

std::string build_id() {
  std::string ids;
  dl_iterate_phdr(add_id, &ids);
  return ids.empty() ? version() : ids;
}

}  // namespace penstock::runtime
