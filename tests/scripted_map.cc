#include "scripted_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "abi/map_layout.h"
#include "abi/snapshot.h"
#include "base/file.h"
#include "codegen/generate.h"
#include "emu/launch.h"
#include "verifier/check.h"

namespace egpu {
namespace {

constexpr std::string_view kApplication =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
constexpr std::uint64_t kBudget = 10'000'000;  // a block that needs more hangs

// On another machine than that which built them they lie elsewhere.
std::filesystem::path programs() {
  const char* const folder = std::getenv("EGPU_MAP_PROGRAMS");
  return folder != nullptr ? folder : EGPU_BINARY_DIR "/tests/maps";
}

Result<bpf::Object> load_program(const std::string& name) {
  const std::string file = name + ".bpf.o";
  EGPU_ASSIGN(const auto bytes, read_file(programs() / file));
  return bpf::load_object(bytes, file);
}

}  // namespace

Result<std::unique_ptr<ScriptedMap>> ScriptedMap::load(const ScriptedMapShape& shape) {
  auto made = std::unique_ptr<ScriptedMap>(new ScriptedMap);
  made->shards_ = shape.shards;
  EGPU_ASSIGN(made->object_, load_program(shape.program));
  for (bpf::MapDefinition& map : made->object_.maps) {
    if (map.name != "elements") continue;
    map.type = shape.type;
    map.max_entries = shape.max_entries;
  }
  EGPU_ASSIGN(verifier::CheckedProgram checked,
              verifier::check(made->object_, made->object_.programs.at(0)));
  EGPU_ASSIGN(const auto generated, codegen::generate(made->object_, {std::move(checked)}));
  EGPU_ASSIGN(const std::string ptx, add_probes(kApplication, generated.ptx, made->object_));
  EGPU_ASSIGN(ProbedModule module,
              ProbedModule::load(ptx, made->object_, made->memory_, shape.shards));
  made->module_ = std::make_unique<ProbedModule>(std::move(module));
  EGPU_ASSIGN(made->kernel_, made->module_->kernel("k"));
  return made;
}

Result<std::vector<OperationOutcome>> ScriptedMap::run(const Launch& launch,
                                                       const std::vector<Operation>& script) {
  if (script.size() > kMostOperations) return internal_error("a script that is too long");
  const std::span<std::byte> operations = map("script");
  std::ranges::fill(operations, std::byte{0});
  std::memcpy(operations.data(), script.data(), script.size() * sizeof(Operation));
  std::ranges::fill(map(".bss"), std::byte{0});
  const auto fault = emu::launch(*kernel_, memory_, {},
                                 {.grid = {launch.blocks, 1, 1},
                                  .block = {32 * launch.warps, 1, 1},
                                  .cooperative = true,
                                  .budget = kBudget,
                                  .workers = launch.workers,
                                  .schedule_seed = launch.seed});
  if (fault) return input_error(to_string(*fault));
  std::vector<OperationOutcome> outcomes(script.size());
  std::memcpy(outcomes.data(), map("outcomes").data(), script.size() * sizeof(OperationOutcome));
  return outcomes;
}

void ScriptedMap::clear() { std::ranges::fill(map("elements"), std::byte{0}); }

std::vector<std::pair<std::uint32_t, std::uint64_t>> ScriptedMap::entries() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  for (const maps::Entry& entry : read().entries)
    result.emplace_back(read_at<std::uint32_t>(entry.key, 0).value_or(0),
                        read_at<std::uint64_t>(entry.value, 0).value_or(0));
  return result;
}

maps::Refusals ScriptedMap::refusals() const { return read().refusals.value_or(maps::Refusals{}); }

std::uint32_t ScriptedMap::count() const {
  return read_at<std::uint32_t>(map("elements"), abi::kHashCountOffset).value_or(0);
}

std::span<std::byte> ScriptedMap::map(std::string_view name) const {
  const auto found = std::ranges::find(object_.maps, name, &bpf::MapDefinition::name);
  return module_->map(static_cast<std::size_t>(found - object_.maps.begin()));
}

// By the code that reads snapshots, from one that holds nothing else.
maps::Entries ScriptedMap::read() const {
  const auto found = std::ranges::find(object_.maps, "elements", &bpf::MapDefinition::name);
  const auto index = static_cast<std::size_t>(found - object_.maps.begin());
  const auto specs = maps::map_specs(object_);
  std::vector<std::byte> slot(abi::map_offset(specs.data(), specs.size(), shards_));
  std::ranges::copy(map("elements"), slot.begin() + static_cast<std::ptrdiff_t>(abi::map_offset(
                                                        specs.data(), index, shards_)));
  const maps::Copy copy{.slot = slot, .shards = shards_};
  auto entries = maps::read_entries(object_, index, {&copy, 1});
  EXPECT_TRUE(entries) << to_string(entries.error());
  return entries ? *std::move(entries) : maps::Entries{};
}

}  // namespace egpu
