#include "cli/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "abi/snapshot.h"
#include "bpf/variables.h"
#include "cli/diagnostics.h"
#include "cli/program_set.h"
#include "cli/table.h"
#include "cli/text.h"
#include "maps/values.h"

namespace egpu::cli {
namespace {

// The SMs of the GPU the example sizes are for: an H200.
constexpr std::uint32_t kExampleShards = 132;

const verifier::CheckedProgram* result_of(const ProgramSet& set, const bpf::Program& program) {
  const auto found = std::ranges::find(set.checked, &program, &verifier::CheckedProgram::program);
  return found == set.checked.end() ? nullptr : &*found;
}

const char* type_name(bpf::MapType type) {
  switch (type) {
    case bpf::MapType::kHash:
      return "HASH";
    case bpf::MapType::kArray:
      return "ARRAY";
    case bpf::MapType::kPercpuHash:
      return "PERCPU_HASH";
    case bpf::MapType::kPercpuArray:
      return "PERCPU_ARRAY";
    case bpf::MapType::kLruHash:
      return "LRU_HASH";
    case bpf::MapType::kQueue:
      return "QUEUE";
    case bpf::MapType::kStack:
      return "STACK";
    case bpf::MapType::kPerfEventArray:
      return "PERF_EVENT_ARRAY";
    case bpf::MapType::kRingbuf:
      return "RINGBUF";
  }
  return "";
}

std::string programs_table(const ProgramSet& set, const Terminal& terminal) {
  Table table({{.header = "program", .may_shrink = true},
               {.header = "section", .may_shrink = true},
               {.header = "instructions", .align = Align::kRight},
               {.header = "most executed", .align = Align::kRight},
               {.header = "stack", .align = Align::kRight},
               {.header = "verdict"}});
  for (const bpf::Program& program : set.object->programs) {
    const auto* checked = result_of(set, program);
    table.add_row({program.name, program.section, std::to_string(program.instructions.size()),
                   checked ? std::to_string(checked->max_instructions) : "-",
                   checked ? std::to_string(checked->stack_bytes) + " B" : "-",
                   checked ? "accepted" : "refused"});
  }
  return table.render(terminal.width);
}

std::string maps_table(const bpf::Object& object, const Terminal& terminal) {
  Table table({{.header = "map", .may_shrink = true},
               {.header = "type"},
               {.header = "value", .align = Align::kRight},
               {.header = "entries", .align = Align::kRight},
               {.header = fmt::format("memory ({} SMs)", kExampleShards), .align = Align::kRight}});
  const auto specs = maps::map_specs(object);
  for (std::size_t i = 0; i < specs.size(); ++i)
    table.add_row({object.maps[i].name, type_name(object.maps[i].type),
                   format_bytes(specs[i].value_size), std::to_string(specs[i].max_entries),
                   format_bytes(abi::map_bytes(specs[i], kExampleShards))});
  return table.render(terminal.width);
}

std::string variables_table(const std::vector<bpf::SettableVariable>& variables,
                            const Terminal& terminal) {
  Table table({{.header = "variable"},
               {.header = "value", .may_shrink = true},
               {.header = "set with --set to", .may_shrink = true}});
  for (const bpf::SettableVariable& variable : variables)
    table.add_row({variable.name, variable.value, variable.type});
  return table.render(terminal.width);
}

std::string as_text(const ProgramSet& set, const Terminal& terminal) {
  const bpf::Object& object = *set.object;
  std::string text =
      fmt::format("{}: {}, {}\n\n", object.path, counted(object.programs.size(), "program"),
                  counted(object.maps.size(), "map"));
  text += programs_table(set, terminal);
  if (!object.maps.empty()) text += "\n" + maps_table(object, terminal);
  const auto variables = bpf::settable_variables(object);
  if (!variables.empty()) text += "\n" + variables_table(variables, terminal);
  return text;
}

nlohmann::ordered_json program_json(const ProgramSet& set, const bpf::Program& program) {
  nlohmann::ordered_json json = {{"name", program.name},
                                 {"section", program.section},
                                 {"sample_weight", program.attach.sample},
                                 {"instructions", program.instructions.size()}};
  const auto* checked = result_of(set, program);
  json["accepted"] = checked != nullptr;
  if (checked == nullptr) return json;
  json["max_executed_instructions"] = checked->max_instructions;
  json["stack_bytes"] = checked->stack_bytes;
  return json;
}

std::string as_json(const ProgramSet& set) {
  const bpf::Object& object = *set.object;
  nlohmann::ordered_json json = {{"object", object.path}, {"accepted", set.refused.empty()}};
  json["programs"] = nlohmann::ordered_json::array();
  for (const bpf::Program& program : object.programs)
    json["programs"].push_back(program_json(set, program));
  json["maps"] = nlohmann::ordered_json::array();
  const auto specs = maps::map_specs(object);
  for (std::size_t i = 0; i < specs.size(); ++i)
    json["maps"].push_back({{"name", object.maps[i].name},
                            {"type", type_name(object.maps[i].type)},
                            {"value_bytes", specs[i].value_size},
                            {"max_entries", specs[i].max_entries},
                            {"bytes_per_shard", abi::map_bytes(specs[i], 1)},
                            {"sharded", bpf::is_sharded(object.maps[i].type)}});
  json["variables"] = nlohmann::ordered_json::array();
  for (const bpf::SettableVariable& variable : bpf::settable_variables(object))
    json["variables"].push_back(
        {{"name", variable.name}, {"value", variable.value}, {"type", variable.type}});
  json["errors"] = nlohmann::ordered_json::array();
  for (const Error& error : set.refused) json["errors"].push_back(error_to_json(error));
  return json_text(json);
}

}  // namespace

Result<Outcome> check_command(const Context& context, const CheckOptions& options) {
  EGPU_ASSIGN(ProgramSet set,
              load_programs(context.installation, options.object, options.settings));
  Outcome outcome;
  outcome.text = options.json ? as_json(set) : as_text(set, context.output);
  for (const Error& error : set.refused)
    outcome.exit_code = std::max(outcome.exit_code, exit_code(error));
  outcome.errors = std::move(set.refused);
  return outcome;
}

}  // namespace egpu::cli
