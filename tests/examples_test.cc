// The programs of tests/examples, compiled by every clang at hand for every instruction set it
// offers, leave in their maps what they say, run by the host JIT in a grid of 2 blocks of 64
// threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "abi/map_layout.h"
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
  return context;
}

void run_grid(const bpf::Object& object, const codegen::HostObject& code) {
  for (std::size_t program = 0; program < object.programs.size(); ++program)
    for (std::uint32_t block = 0; block < kBlocks; ++block)
      for (std::uint32_t thread = 0; thread < kThreads; ++thread)
        code.run(program, context_of(block, thread));
}

// A map's entries, or a data section's variables, as `egpu run --json` shows them.
ordered_json rows_of(const bpf::Object& object, const bpf::MapDefinition& map, Bytes memory) {
  const maps::Field fields = maps::value_fields(object, map);
  ordered_json rows = ordered_json::array();
  for (std::uint32_t key = 0; key < map.max_entries; ++key) {
    const Bytes value = memory.subspan(key * abi::value_stride(map.value_size), map.value_size);
    if (!maps::is_data_section(map)) {
      rows.push_back({{"key", key}, {"value", maps::value_to_json(object.btf, fields, value)}});
      continue;
    }
    for (const maps::Field& variable : fields.children)
      rows.push_back({{"variable", variable.name},
                      {"value", maps::value_to_json(object.btf, variable, value)}});
  }
  return rows;
}

ordered_json maps_of(const bpf::Object& object, const codegen::HostObject& code) {
  ordered_json maps = ordered_json::array();
  for (std::size_t i = 0; i < object.maps.size(); ++i)
    maps.push_back({{"name", object.maps[i].name},
                    {"rows", rows_of(object, object.maps[i], Bytes(code.map(i)))}});
  return maps;
}

Result<void> run_example(const examples::Example& example, const bpf::Object& object,
                         codegen::Optimization optimization) {
  EGPU_ASSIGN(const codegen::HostObject code, compile_for_host(object, optimization));
  run_grid(object, code);
  const ordered_json maps = maps_of(object, code);
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
