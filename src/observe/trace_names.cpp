#include "observe/trace_names.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/event.hpp"

namespace penstock::observe {

namespace {

using core::EventKind;
using Json = nlohmann::json;

constexpr std::size_t dimensions_most = 32;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The objects of an array; none where there is no array.
template <class Take>
void for_each_object_at(const Json& object, const char* key, const Take& take) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return;
  static const Json empty = Json::object();
  for (const Json& each : *found) take(each.is_object() ? each : empty);  // places in the array are numbers elsewhere
}

std::vector<std::int64_t> numbers_at(const Json& object, const char* key) {
  std::vector<std::int64_t> numbers;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return numbers;
  for (const Json& each : *found) numbers.push_back(each.is_number_integer() ? each.get<std::int64_t>() : 0);
  return numbers;
}

/// The indices of an element, the first range's first; nothing where the family has no such element.
std::optional<std::vector<std::int64_t>> indices_of(std::int64_t element, std::span<const std::int64_t> begin,
                                                    std::span<const std::int64_t> count) {
  std::vector<std::int64_t> indices(count.size());
  if (element < 0) return std::nullopt;
  for (std::size_t i = count.size(); i-- > 0;) {
    if (count[i] <= 0) return std::nullopt;
    indices[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(begin[i]) +
                                           static_cast<std::uint64_t>(element % count[i]));
    element /= count[i];
  }
  return element == 0 ? std::optional(std::move(indices)) : std::nullopt;
}

}  // namespace

std::optional<RankDescription> parse_description(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return std::nullopt;
  RankDescription description{.host = text_at(document, "host"),
                              .boot = text_at(document, "boot"),
                              .version = text_at(document, "version"),
                              .job = text_at(document, "job"),
                              .kernels = {},
                              .devices = {},
                              .families = {}};
  if (const auto kernels = document.find("kernels"); kernels != document.end() && kernels->is_array()) {
    for (const Json& name : *kernels) description.kernels.push_back(name.is_string() ? name.get<std::string>() : "");
  }
  for_each_object_at(document, "devices", [&](const Json& device) {
    description.devices.push_back({.kind = text_at(device, "kind"), .name = text_at(device, "name")});
  });
  for_each_object_at(document, "families", [&](const Json& family) {
    RankDescription::Family read{
        .name = text_at(family, "name"), .begin = numbers_at(family, "begin"), .count = numbers_at(family, "count")};
    if (read.begin.size() != read.count.size() || read.count.size() > dimensions_most) read.begin = read.count = {0};
    description.families.push_back(std::move(read));
  });
  return description;
}

void RunNames::take(const RankDescription& description, const trace::RankTrace& trace) {
  kernels_.clear();
  for (const std::string& kernel : description.kernels) kernels_.push_back(json_quoted(kernel));
  for (const RankDescription::Family& family : description.families) {
    families_.push_back({.opening = json_quoted(family.name), .begin = family.begin, .count = family.count});
    families_.back().opening.pop_back();
  }
  for (const trace::LaneEvents& lane : trace.lanes) {
    if (lane.kind == trace::LaneKind::front) take_front_lane(lane);
  }
  std::ranges::stable_sort(data_, {}, [](const Datum& datum) { return std::tuple(datum.data, datum.from); });
  std::ranges::stable_sort(tasks_, {}, &Task::task);
}

void RunNames::take_front_lane(const trace::LaneEvents& lane) {
  std::string name;
  for (std::size_t i = 0; i < lane.events.size(); ++i) {
    const core::Event& event = lane.events[i];
    if (event.kind == EventKind::datum) {
      const core::DatumEvent datum = core::datum_of(event);
      data_.push_back({.data = datum.data, .from = datum.from, .family = datum.family, .element = datum.element});
    } else if (event.kind == EventKind::name) {
      name.clear();
      while (i + 1 < lane.events.size() && lane.events[i + 1].kind == EventKind::text) {
        name += core::text_of(lane.events[++i]);
      }
      if (!name.empty()) tasks_.push_back({.task = core::TaskId(event.subject), .name = json_quoted(name)});
    }
  }
}

std::string_view RunNames::kernel(core::KernelId id) const {
  constexpr std::string_view unknown = "\"unknown kernel\"";
  return id.value() < kernels_.size() ? std::string_view(kernels_[id.value()]) : unknown;
}

std::string_view RunNames::task(core::TaskId id) const {
  const auto found = std::ranges::lower_bound(tasks_, id, {}, &Task::task);
  return found != tasks_.end() && found->task == id ? std::string_view(found->name) : std::string_view();
}

const RunNames::Datum* RunNames::find(core::DataId data, core::Version version) const {
  const auto after = std::ranges::upper_bound(data_, std::tuple(data, version), {},
                                              [](const Datum& datum) { return std::tuple(datum.data, datum.from); });
  if (after == data_.begin()) return nullptr;
  const Datum& datum = *(after - 1);
  return datum.data == data && datum.family < families_.size() ? &datum : nullptr;
}

void RunNames::write_data(core::DataId data, core::Version version, TraceText& text) const {
  const Datum* const datum = find(data, version);
  if (datum == nullptr) {
    text.add("\"data ", data.value(), "\"");
    return;
  }
  const Family& family = families_[datum->family];
  text.add(family.opening);
  if (!family.count.empty()) {
    const auto indices = indices_of(datum->element, family.begin, family.count);
    if (!indices) text.add("[element ", datum->element);
    for (std::size_t i = 0; indices && i < indices->size(); ++i) text.add(i == 0 ? "[" : ", ", (*indices)[i]);
    text.add("]");
  }
  text.add("\"");
}

}  // namespace penstock::observe
