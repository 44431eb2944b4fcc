#include <nlohmann/json.hpp>

#include "cli/diagnostics.h"
#include "cli/map_views.h"
#include "cli/run_report.h"
#include "cli/text.h"
#include "maps/format.h"
#include "maps/histogram.h"

namespace egpu::cli {
namespace {

using Json = nlohmann::ordered_json;

Json rows_json(const bpf::Object& object, const maps::Names& names, const MapView& view) {
  const bpf::MapDefinition& map = object.maps[view.map];
  const maps::Field keys = maps::key_fields(object, map);
  const maps::Field fields = maps::value_fields(object, map);
  Json rows = Json::array();
  for (const maps::Entry& entry : view.entries->entries) {
    Json row = {{"key", maps::value_to_json(names, keys, entry.key)}};
    if (const std::string* kernel = maps::kernel_name(names, keys, entry.key))
      row["kernel"] = *kernel;
    row["value"] = maps::value_to_json(names, fields, entry.value);
    if (const std::string* kernel = maps::kernel_name(names, fields, entry.value))
      row["value_name"] = *kernel;
    rows.push_back(std::move(row));
  }
  return rows;
}

// A data section has no keys, but variables.
Json variables_json(const bpf::Object& object, const maps::Names& names, const MapView& view) {
  maps::Field section = maps::value_fields(object, object.maps[view.map]);
  // Without BTF nobody knows the variables.
  if (section.kind != maps::FieldKind::kStruct) section.children = {section};
  Json rows = Json::array();
  for (const maps::Entry& entry : view.entries->entries)
    for (const maps::Field& variable : section.children)
      rows.push_back({{"variable", variable.name.empty() ? "value" : variable.name},
                      {"value", maps::value_to_json(names, variable, entry.value)}});
  return rows;
}

Json rest_json(const maps::Rest& rest) {
  Json json = {{"entries", rest.entries}};
  if (rest.field.empty()) return json;
  json["field"] = rest.field;
  json["sum"] = rest.is_signed ? Json(static_cast<std::int64_t>(rest.sum)) : Json(rest.sum);
  return json;
}

Json map_json(const bpf::Object& object, const maps::Names& names, const MapView& view) {
  const bpf::MapDefinition& map = object.maps[view.map];
  Json json = {{"name", map.name}, {"instance", view.instance ? Json(*view.instance) : Json()}};
  json["rows"] = !view.entries                ? Json::array()
                 : maps::is_data_section(map) ? variables_json(object, names, view)
                                              : rows_json(object, names, view);
  if (view.rest) json["rest"] = rest_json(*view.rest);
  json["zero_entries"] = view.entries ? view.entries->zero_entries : 0;
  if (view.entries && maps::is_log2_array(names.btf, map))
    json.update(maps::histogram_to_json({}, slots_of_array(map, *view.entries)));
  if (view.entries && view.entries->refusals) {
    json["full"] = view.entries->refusals->full;
    json["busy"] = view.entries->refusals->busy;
  }
  if (!view.entries) json["error"] = error_to_json(view.entries.error());
  return json;
}

Json process_json(const session::ProcessView& process) {
  return {{"pid", process.pid},
          {"command", process.command},
          {"orderly_end", process.orderly},
          {"modules", process.modules},
          {"replaced", process.replaced}};
}

Json instance_json(const session::InstanceView& instance) {
  return {{"process", instance.process},
          {"device", instance.device},
          {"device_name", instance.device_name},
          {"device_uuid", instance.device_uuid},
          {"shards", instance.shards},
          {"snapshots", instance.published},
          {"last_snapshot_ns", instance.snapshot_time_ns},
          {"complete", instance.final},
          {"instrumented_launches", instance.instrumented_launches},
          {"fallback_launches", instance.fallback_launches}};
}

}  // namespace

std::string report_json(const RunReport& report) {
  const session::SessionReport& session = report.session;
  Json json = {
      {"object", report.object->path}, {"command", report.command}, {"emulated", report.emulated}};
  json["exit_code"] = report.end.signal == 0 ? Json(report.end.code) : Json();
  json["signal"] = report.end.signal != 0 ? Json(report.end.signal) : Json();
  json["end_ns"] = report.end_time_ns;
  json["complete"] = is_complete(report);
  for (const char* list : {"maps", "rings", "kernels", "processes", "instances", "notes"})
    json[list] = Json::array();
  const std::vector<std::string> kernels = kernel_names(session.kernels);
  const maps::Names names{.btf = report.object->btf, .kernels = kernels};
  for (const MapView& view : map_views(*report.object, session, report.top))
    json["maps"].push_back(map_json(*report.object, names, view));
  for (const RingView& ring : ring_views(*report.object, session))
    json["rings"].push_back({{"name", report.object->maps[ring.map].name},
                             {"records", ring.totals.records},
                             {"discarded", ring.totals.discarded},
                             {"dropped", ring.totals.dropped}});
  for (const session::KernelInfo& kernel : session.kernels)
    json["kernels"].push_back(
        {{"id", kernel.id}, {"name", kernel.name}, {"demangled", kernel.demangled}});
  for (const session::ProcessView& process : session.processes)
    json["processes"].push_back(process_json(process));
  for (const session::InstanceView& instance : session.instances)
    json["instances"].push_back(instance_json(instance));
  for (const session::LoadNote& note : session.notes)
    json["notes"].push_back(
        {{"process", note.process < session.processes.size() ? Json(note.process) : Json()},
         {"probed", note.probed},
         {"text", note.text}});
  json["warnings"] = warnings_of(report);
  // Behind lines of records, it is the last line.
  return json["rings"].empty() ? json_text(json) : json_line(json);
}

}  // namespace egpu::cli
