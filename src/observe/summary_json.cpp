#include <nlohmann/json.hpp>

#include "observe/summary.hpp"

namespace penstock::observe {

namespace {

using Json = nlohmann::ordered_json;

Json device_json(const DeviceSummary& device, double wall_s) {
  return {{"kind", device.kind},   {"name", device.name},     {"lanes", device.lanes},
          {"tasks", device.tasks}, {"busy_s", device.busy_s}, {"busy_share", device.busy_share(wall_s)}};
}

Json rank_json(const RankSummary& rank, double wall_s) {
  Json devices = Json::array();
  for (const DeviceSummary& device : rank.devices) devices.push_back(device_json(device, wall_s));
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"cores", rank.cores},
          {"bytes_sent", rank.bytes_sent},
          {"bytes_received", rank.bytes_received},
          {"devices", devices}};
}

Json tasks_json(const RunSummary& run) {
  return {{"done", run.tasks_done},
          {"failed", run.tasks_failed},
          {"skipped", run.tasks_skipped},
          {"cancelled", run.tasks_cancelled},
          {"not_started", run.tasks_not_started}};
}

}  // namespace

std::string to_json(const RunSummary& run) {
  Json failures = Json::array();
  for (const FailureLine& failure : run.failures) {
    failures.push_back({{"task", failure.task}, {"message", failure.message}});
  }
  Json ranks = Json::array();
  for (const RankSummary& rank : run.ranks) ranks.push_back(rank_json(rank, run.wall_s));
  const Json document{{"format", 1},
                      {"job", run.job},
                      {"version", run.version},
                      {"started", run.started},
                      {"verdict", run.verdict},
                      {"exit_code", run.exit_code},
                      {"run_folder", run.run_folder.empty() ? Json() : Json(run.run_folder)},
                      {"wall_s", run.wall_s},
                      {"tasks", tasks_json(run)},
                      {"results_saved", run.results_saved},
                      {"failures", failures},
                      {"failures_omitted", run.failures_omitted},
                      {"ranks", ranks}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock::observe
