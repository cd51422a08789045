#include "observe/device_table.hpp"

#include <nlohmann/json.hpp>

#include "observe/table.hpp"

namespace penstock::observe {

std::string to_screen(std::span<const DeviceRow> rows) {
  // Cores and GPUs are not clipped: they say why something is not there.
  constexpr std::size_t unbounded = 400;
  Table table({{"rank", Align::right},
               {"host"},
               {"memory", Align::right},
               {"MPI"},
               {"cores", Align::left, unbounded},
               {"GPUs", Align::left, unbounded}});
  for (const DeviceRow& row : rows) {
    table.add({std::to_string(row.rank), row.host, row.memory, row.mpi, row.cores, row.gpus});
  }
  return table.to_text(0);
}

std::string to_json(std::span<const DeviceRow> rows) {
  using Json = nlohmann::ordered_json;
  Json ranks = Json::array();
  for (const DeviceRow& row : rows) {
    ranks.push_back({{"rank", row.rank},
                     {"host", row.host},
                     {"cores", row.cores},
                     {"gpus", row.gpus},
                     {"memory", row.memory},
                     {"mpi", row.mpi}});
  }
  const Json document{{"format", 1}, {"ranks", ranks}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock::observe
