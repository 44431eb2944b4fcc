// The programs of tests/examples, compiled by every clang at hand for every instruction set it
// offers, leave in their maps what they say, run by the host JIT in a grid of 2 blocks of 64
// threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "abi/snapshot.h"
#include "base/file.h"
#include "bpf/object.h"
#include "codegen/host_object.h"
#include "maps/format.h"
#include "maps/values.h"
#include "support/expectations.h"
#include "verifier/check.h"

namespace egpu {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uint32_t kBlocks = 2;
constexpr std::uint32_t kThreads = 64;

Result<bpf::Object> load(const fs::path& path) {
  EGPU_ASSIGN(const auto bytes, read_file(path));
  return bpf::load_object(bytes, path.filename().string());
}

Result<codegen::HostObject> compile_for_host(const bpf::Object& object,
                                             codegen::Optimization optimization) {
  std::vector<verifier::CheckedProgram> checked;
  for (const bpf::Program& program : object.programs) {
    EGPU_ASSIGN(checked.emplace_back(), verifier::check(object, program));
  }
  return codegen::jit(object, checked, optimization);
}

codegen::ContextValues context_of(std::uint32_t block, std::uint32_t thread) {
  using enum abi::ContextField;
  codegen::ContextValues context;
  for (const auto one : {kBlockDimY, kBlockDimZ, kGridDimY, kGridDimZ}) context[one] = 1;
  context[kThreadIdxX] = thread;
  context[kBlockIdxX] = block;
  context[kBlockDimX] = kThreads;
  context[kGridDimX] = kBlocks;
  context[kLaneId] = thread % 32;
  context[kWarpId] = thread / 32;
  context[kActiveMask] = ~std::uint32_t{0};
  context[kWeight] = 1;
  return context;
}

void run_grid(const bpf::Object& object, const codegen::HostObject& code) {
  for (std::size_t program = 0; program < object.programs.size(); ++program)
    for (std::uint32_t block = 0; block < kBlocks; ++block)
      for (std::uint32_t thread = 0; thread < kThreads; ++thread)
        code.run(program, context_of(block, thread));
}

// What the maps hold, as a snapshot of them would.
std::vector<std::byte> slot_of(const bpf::Object& object, const codegen::HostObject& code) {
  const auto specs = maps::map_specs(object);
  std::vector<std::byte> slot(abi::map_offset(specs.data(), specs.size(), 1));
  for (std::size_t i = 0; i < specs.size(); ++i)
    std::ranges::copy(code.map(i), slot.begin() + static_cast<std::ptrdiff_t>(
                                                      abi::map_offset(specs.data(), i, 1)));
  return slot;
}

// A map's entries, or a data section's variables, as `egpu run --json` shows them.
Result<ordered_json> rows_of(const bpf::Object& object, std::size_t index, const maps::Copy& copy) {
  const bpf::MapDefinition& map = object.maps[index];
  EGPU_ASSIGN(const maps::Entries entries, maps::read_entries(object, index, {&copy, 1}));
  const maps::Field keys = maps::key_fields(object, map);
  const maps::Field fields = maps::value_fields(object, map);
  ordered_json rows = ordered_json::array();
  for (const maps::Entry& entry : entries.entries) {
    if (!maps::is_data_section(map)) {
      rows.push_back({{"key", maps::value_to_json({object.btf}, keys, entry.key)},
                      {"value", maps::value_to_json({object.btf}, fields, entry.value)}});
      continue;
    }
    for (const maps::Field& variable : fields.children)
      rows.push_back({{"variable", variable.name},
                      {"value", maps::value_to_json({object.btf}, variable, entry.value)}});
  }
  return rows;
}

Result<ordered_json> maps_of(const bpf::Object& object, const codegen::HostObject& code) {
  const std::vector<std::byte> slot = slot_of(object, code);
  ordered_json maps = ordered_json::array();
  for (std::size_t i = 0; i < object.maps.size(); ++i) {
    EGPU_ASSIGN(ordered_json rows, rows_of(object, i, {.slot = slot}));
    maps.push_back({{"name", object.maps[i].name}, {"rows", std::move(rows)}});
  }
  return maps;
}

Result<void> run_example(const examples::Example& example, const bpf::Object& object,
                         codegen::Optimization optimization) {
  EGPU_ASSIGN(const codegen::HostObject code, compile_for_host(object, optimization));
  run_grid(object, code);
  EGPU_ASSIGN(const ordered_json maps, maps_of(object, code));
  for (const examples::Expectation& expectation : example.expectations)
    EGPU_TRY(examples::compare(expectation, maps));
  return {};
}

const fs::path& objects() {
  static const fs::path folder = fs::path(EGPU_BINARY_DIR) / "share/egpu/examples";
  return folder;
}

// "clang-22/v3": each has one folder.
std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const auto& release : fs::directory_iterator(objects()))
    for (const auto& cpu : fs::directory_iterator(release))
      found.push_back(fs::relative(cpu.path(), objects()).string());
  std::ranges::sort(found);
  return found;
}

class Examples : public ::testing::TestWithParam<std::string> {};

TEST_P(Examples, LeaveWhatTheySay) {
  const auto cpu = static_cast<unsigned>(GetParam().back() - '0');
  const auto all = examples::load_examples();
  ASSERT_TRUE(all) << to_string(all.error());
  for (const examples::Example& example : *all) {
    if (cpu < example.oldest_cpu) continue;
    const auto object = load(objects() / GetParam() / (example.name + ".bpf.o"));
    ASSERT_TRUE(object) << to_string(object.error());
    // As it stands too: what the optimiser removes is executed there.
    for (const auto optimization : {codegen::Optimization::kFull, codegen::Optimization::kNone}) {
      const auto result = run_example(example, *object, optimization);
      EXPECT_TRUE(result) << example.name << ": " << to_string(result.error());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compilers, Examples, ::testing::ValuesIn(compilers()),
                         [](const auto& compiler) {
                           std::string name = compiler.param;
                           std::erase_if(name,
                                         [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(ExampleCompilers, AreAllThere) {
  std::string missing;
  for (const char* const release : {"clang-14", "clang-16", "clang-19", "clang-22"})
    if (!fs::exists(objects() / release)) missing += std::string(" ") + release;
  if (!missing.empty()) GTEST_SKIP() << "not installed:" << missing;
}

}  // namespace
}  // namespace egpu
