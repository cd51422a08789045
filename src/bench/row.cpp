#include "bench/row.hpp"

#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "observe/table.hpp"

namespace penstock::bench {

namespace {

using nlohmann::ordered_json;
using observe::Align;

ordered_json number(const std::optional<double>& value) { return value ? ordered_json(*value) : ordered_json(nullptr); }

ordered_json json_of(const MachineLine& machine) {
  return {{"cpu", machine.cpu},   {"cores", machine.cores},     {"compiler", machine.compiler}, {"blas", machine.blas},
          {"date", machine.date}, {"version", machine.version}, {"load", machine.load}};
}

ordered_json json_of(const Row& row) {
  return {{"bench", row.bench},           {"case", row.measure.name},     {"system", row.system},
          {"workers", row.workers},       {"metric", row.measure.metric}, {"value", row.summary.median},
          {"unit", row.measure.unit},     {"min", row.summary.least},     {"max", row.summary.greatest},
          {"runs", row.summary.runs},     {"limit", number(row.limit)},   {"ratio", number(row.ratio)},
          {"regime", name_of(row.regime)}};
}

/// Four digits that matter, without an exponent.
std::string text(double value) {
  if (value == 0.0) return "0";
  const int digits = 3 - static_cast<int>(std::floor(std::log10(std::fabs(value))));
  return fmt::format("{:.{}f}", value, digits > 0 ? digits : 0);
}

std::string text(const std::optional<double>& value) { return value ? text(*value) : "-"; }

}  // namespace

std::string to_json(const MachineLine& machine, std::span<const Row> rows) {
  ordered_json list = ordered_json::array();
  for (const Row& row : rows) list.push_back(json_of(row));
  const ordered_json whole{{"machine", json_of(machine)}, {"rows", std::move(list)}};
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_table(const MachineLine& machine, std::span<const Row> rows) {
  observe::Table table({{.title = "case", .width_max = 52},
                        {.title = "system"},
                        {.title = "workers", .align = Align::right},
                        {.title = "median", .align = Align::right},
                        {.title = "unit"},
                        {.title = "min", .align = Align::right},
                        {.title = "max", .align = Align::right},
                        {.title = "runs", .align = Align::right},
                        {.title = "limit", .align = Align::right},
                        {.title = "ratio", .align = Align::right},
                        {.title = "regime"}});
  for (const Row& row : rows) {
    table.add({row.measure.name, row.system, std::to_string(row.workers), text(row.summary.median), row.measure.unit,
               text(row.summary.least), text(row.summary.greatest), std::to_string(row.summary.runs), text(row.limit),
               row.ratio ? fmt::format("{:.3g} of {}", *row.ratio, row.rival) : "-", std::string(name_of(row.regime))});
  }
  return fmt::format("{}, {} cores, load {:.2f}; {}; {}; penstock {}; {}\n{}", machine.cpu, machine.cores, machine.load,
                     machine.compiler, machine.blas, machine.version, machine.date, table.to_text(0));
}

}  // namespace penstock::bench
