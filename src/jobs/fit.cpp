#include "jobs/fit.hpp"

#include <algorithm>
#include <string>

#include "jobs/names.hpp"

namespace penstock::jobs {

namespace {

std::string wrong_dtype(const KernelDescription& kernel, const AccessDescription& access, DType dtype,
                        std::string_view name) {
  if (access.dtypes.empty() || std::ranges::find(access.dtypes, dtype) != access.dtypes.end()) return {};
  std::string allowed;
  for (const DType each : access.dtypes) allowed += (allowed.empty() ? "" : " or ") + std::string(name_of(each));
  return "kernel " + kernel.name + " takes " + allowed + " for " + access.name + ", " + std::string(name) + " is " +
         std::string(name_of(dtype));
}

/// Where the text first names a thing, as a word of its own.
std::size_t place_of_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_name(text.substr(at - 1, 1));
    const std::string_view after = text.substr(at + word.size());
    if (begins && (after.empty() || !is_name(after.substr(0, 1)))) return at;
  }
  return std::string_view::npos;
}

/// What a kernel finds wrong begins, as a rule, with the name of the access or parameter it is about.
const Position& place_of(const KernelDescription& kernel, std::string_view fault, const FitPlaces& places) {
  const Position* found = places.accesses.empty() ? &places.otherwise : places.accesses.front();
  std::size_t first = std::string_view::npos;
  const auto look = [&](std::string_view name, const Position& position) {
    const std::size_t at = place_of_word(fault, name);
    if (at >= first) return;
    first = at;
    found = &position;
  };
  for (std::size_t k = 0; k < places.accesses.size(); ++k) look(kernel.accesses[k].name, *places.accesses[k]);
  for (std::size_t k = 0; k < places.parameters.size(); ++k) {
    if (places.parameters[k]) look(kernel.parameters[k].name, *places.parameters[k]);
  }
  return *found;
}

}  // namespace

void check_fit(const SourceFile& source, const KernelDescription& kernel, std::span<const TaskAccess> accesses,
               std::span<const Parameter> parameters, const FitPlaces& places) {
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const std::string fault = wrong_dtype(kernel, kernel.accesses[k], accesses[k].type.dtype, places.names[k]);
    if (!fault.empty()) source.fail(*places.accesses[k], fault);
  }
  if (!kernel.check) return;
  const std::string fault = kernel.check(accesses, parameters);
  if (!fault.empty()) source.fail(place_of(kernel, fault, places), "kernel " + kernel.name + ": " + fault);
}

}  // namespace penstock::jobs
