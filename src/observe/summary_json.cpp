#include <nlohmann/json.hpp>

#include "observe/summary.hpp"

namespace penstock::observe {

namespace {

using Json = nlohmann::ordered_json;

Json device_json(const DeviceSummary& device, double wall_s) {
  Json json{{"kind", device.kind},   {"name", device.name},     {"lanes", device.lanes},
            {"tasks", device.tasks}, {"busy_s", device.busy_s}, {"busy_share", device.busy_share(wall_s)}};
  if (device.kind == "cpu") return json;
  json.update({{"bytes_in", device.bytes_in},
               {"bytes_out", device.bytes_out},
               {"evictions", device.evictions},
               {"why_idle", device.why_idle}});
  return json;
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

Json plugins_json(const RunSummary& run) {
  Json plugins = Json::array();
  for (const PluginSummary& plugin : run.plugins) {
    plugins.push_back({{"path", plugin.path}, {"sha256", plugin.sha256}, {"kernels", plugin.kernels}});
  }
  return plugins;
}

Json tasks_json(const RunSummary& run) {
  return {{"done", run.tasks_done},
          {"failed", run.tasks_failed},
          {"skipped", run.tasks_skipped},
          {"cancelled", run.tasks_cancelled},
          {"not_started", run.tasks_not_started}};
}

Json critical_path_json(const CriticalPath& path) {
  Json kernels = Json::array();
  for (const KernelShare& share : path.kernels) {
    kernels.push_back({{"kernel", share.kernel}, {"tasks", share.tasks}, {"s", share.s}});
  }
  return {{"s", path.s}, {"tasks", path.tasks}, {"kernels", kernels}};
}

Json rank_share_json(const RankShare& rank) {
  Json devices = Json::array();
  for (const DeviceShare& device : rank.devices) {
    devices.push_back({{"kind", device.kind},
                       {"name", device.name},
                       {"lanes", device.lanes},
                       {"busy_share", device.busy_share},
                       {"idle_share", 1.0 - device.busy_share}});
  }
  return {{"rank", rank.rank}, {"devices", devices}};
}

Json trace_json(const std::optional<TraceNumbers>& trace) {
  if (!trace) return {};
  Json ranks = Json::array();
  for (const RankShare& rank : trace->ranks) ranks.push_back(rank_share_json(rank));
  return {{"span_s", trace->span_s},
          {"compute_s", trace->compute_s},
          {"transfer_s", trace->transfer_s},
          {"transfers", trace->transfers},
          {"transfer_bytes", trace->transfer_bytes},
          {"parallelism", trace->parallelism},
          {"overlap", trace->overlap ? Json(*trace->overlap) : Json()},
          {"critical_path", critical_path_json(trace->critical_path)},
          {"ranks", ranks},
          {"events", trace->events},
          {"dropped", trace->dropped}};
}

Json failure_json(const FailureLine& failure) { return {{"task", failure.task}, {"message", failure.message}}; }

Json skipped_json(const SkippedLine& skipped) {
  Json json = failure_json(skipped.task);
  json["cause"] = failure_json(skipped.cause);
  return json;
}

}  // namespace

std::string to_json(const RunSummary& run) {
  Json failures = Json::array();
  for (const FailureLine& failure : run.failures) failures.push_back(failure_json(failure));
  Json skipped = Json::array();
  for (const SkippedLine& each : run.skipped) skipped.push_back(skipped_json(each));
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
                      {"plugins", plugins_json(run)},
                      {"failures", failures},
                      {"failures_omitted", run.failures_omitted},
                      {"skipped", skipped},
                      {"skipped_omitted", run.skipped_omitted},
                      {"ranks", ranks},
                      {"trace", trace_json(run.trace)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock::observe
