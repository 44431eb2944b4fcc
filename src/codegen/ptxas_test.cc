// ptxas accepts what the code generator writes: hand-made programs with every atomic, division,
// context field and memory width, and the compiled examples of tests/programs, by way of loader and
// checker.
#include <filesystem>

#include "abi/context.h"
#include "base/file.h"
#include "codegen/long_calls.h"
#include "codegen/test_support.h"
#include "support/toolkit.h"

namespace egpu::codegen {
namespace {

using namespace testing;

// The oldest architecture that the toolkit at hand assembles for, the one measurements are made on,
// and the newest.
constexpr const char* kArchitectures[] = {"sm_75", "sm_90a", "sm_100"};

// A kernel that calls each probe function: ptxas drops functions that nobody calls.
std::string caller(std::size_t programs) {
  std::string text = ".visible .entry caller()\n{\n.reg .b32 %id;\nmov.u32 %id, 7;\n";
  for (std::size_t i = 0; i < programs; ++i) {
    text += "{\n.param .b32 kernel;\n.param .b32 site;\n";
    text += "st.param.b32 [kernel], %id;\nst.param.b32 [site], %id;\n";
    text += "call " + probe_function_name(i) + ", (kernel, site);\n}\n";
  }
  return text + "ret;\n}\n";
}

void expect_assembles(const Result<GeneratedModule>& module, std::size_t programs) {
  ASSERT_TRUE(module) << to_string(module.error());
  const std::filesystem::path ptxas = toolkit::find_tool("ptxas");
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas on this machine";
  const toolkit::TemporaryFolder folder;
  const std::string text = module->ptx + caller(programs);
  ASSERT_TRUE(write_file(folder / "module.ptx", as_bytes(text)));
  for (const char* architecture : kArchitectures) {
    const toolkit::Outcome outcome = toolkit::run(
        {ptxas, "-arch", architecture, "-o", folder / "module.cubin", folder / "module.ptx"});
    EXPECT_EQ(outcome.status, 0) << outcome.output << text;
  }
}

void expect_assembles(const Input& input) {
  expect_assembles(try_generate(input), input.programs.size());
}

Steps all_atomics() {
  using bpf::AtomicOp;
  Steps steps{bpf::Mov{Width::k64, Reg{7}, Reg{0}}};
  for (const MemSize size : {MemSize::k32, MemSize::k64}) {
    for (const AtomicOp op : {AtomicOp::kAdd, AtomicOp::kOr, AtomicOp::kAnd, AtomicOp::kXor,
                              AtomicOp::kExchange, AtomicOp::kCompareExchange}) {
      for (const bool fetch : {false, true}) {
        if (!fetch && op >= AtomicOp::kExchange) continue;  // these always fetch
        steps.push_back({bpf::Load{size, false, Reg{3}, Reg{7}, 8}, Region::kMapValue});
        steps.push_back({bpf::Atomic{op, fetch, size, Reg{7}, 0, Reg{3}}, Region::kMapValue});
      }
    }
  }
  return steps;
}

Steps all_arithmetic() {
  using bpf::AluOp;
  Steps steps{bpf::Mov{Width::k64, Reg{7}, Reg{0}}};
  for (const Width width : {Width::k32, Width::k64}) {
    for (auto op = AluOp::kAdd; op <= AluOp::kSmod;
         op = static_cast<AluOp>(static_cast<int>(op) + 1)) {
      steps.push_back({bpf::Load{MemSize::k64, true, Reg{3}, Reg{7}, 0}, Region::kMapValue});
      steps.push_back({bpf::Load{MemSize::k8, true, Reg{4}, Reg{7}, 8}, Region::kMapValue});
      steps.push_back(bpf::Alu{op, width, Reg{3}, Reg{4}});
      steps.push_back(bpf::ByteSwap{bpf::ByteOrder::kSwap, 32, Reg{3}});
      steps.push_back({bpf::Store{MemSize::k16, Reg{7}, 12, Reg{3}}, Region::kMapValue});
    }
  }
  return steps;
}

Steps all_context_fields() {
  Steps steps{bpf::Mov{Width::k64, Reg{7}, Reg{1}}};
  steps = steps + lookup(0, 0);
  std::get<bpf::JumpIf>(steps[6].instruction).target = 8;
  for (std::size_t field = 0; field < abi::kContextFieldCount; ++field) {
    const auto offset =
        static_cast<std::int16_t>(abi::context_offset(static_cast<abi::ContextField>(field)));
    steps.push_back(
        {bpf::Load{MemSize::k32, false, Reg{3}, Reg{7}, offset}, Region::kContext, offset});
    steps.push_back({bpf::Store{MemSize::k32, Reg{0}, offset, Reg{3}}, Region::kMapValue});
  }
  return steps;
}

TEST(Ptxas, AcceptsEmptyPrograms) {
  expect_assembles({.maps = {}, .programs = {leave(), leave()}, .options = {}});
}

TEST(Ptxas, AcceptsAtomics) {
  expect_assembles({.maps = {array_map(16, 4)},
                    .programs = {lookup(0, 1) + all_atomics() + leave()},
                    .options = {}});
}

TEST(Ptxas, AcceptsArithmetic) {
  expect_assembles({.maps = {array_map(16, 4)},
                    .programs = {lookup(0, 1) + all_arithmetic() + leave()},
                    .options = {}});
}

TEST(Ptxas, AcceptsContextFields) {
  expect_assembles({.maps = {array_map(abi::kContextBytes, 1)},
                    .programs = {all_context_fields() + leave()},
                    .options = {}});
}

TEST(Ptxas, AcceptsBothTableSpacesAndMapTypes) {
  for (const TableSpace space : {TableSpace::kConst, TableSpace::kGlobal}) {
    const Steps store{{bpf::Store{MemSize::k64, Reg{0}, 0, Imm{1}}, Region::kMapValue}};
    expect_assembles({.maps = {array_map(8, 4), array_map(8, 4, bpf::MapType::kPercpuArray)},
                      .programs = {lookup(0, 1) + store + leave(), lookup(1, 1) + store + leave()},
                      .options = {.table_space = space}});
  }
}

TEST(Ptxas, AcceptsCallsOfFunctions) {
  const auto module = try_generate(long_calls());
  expect_assembles(module, 1);
  EXPECT_NE(module ? module->ptx.find("call.uni") : 0, std::string::npos);
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::filesystem::path(EGPU_SOURCE_DIR) / "tests/programs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".bpf.c")) names.push_back(name.substr(0, name.size() - 6));
  }
  return names;
}

class Example : public ::testing::TestWithParam<std::string> {};

TEST_P(Example, Assembles) {
  const std::string file = GetParam() + ".bpf.o";
  const auto bytes = read_file(std::filesystem::path(EGPU_BINARY_DIR) / "tests/programs" / file);
  ASSERT_TRUE(bytes) << to_string(bytes.error());
  const auto object = bpf::load_object(*bytes, file);
  ASSERT_TRUE(object) << to_string(object.error());
  std::vector<verifier::CheckedProgram> checked;
  for (const bpf::Program& program : object->programs) {
    const auto result = verifier::check(*object, program);
    ASSERT_TRUE(result) << to_string(result.error());
    checked.push_back(*result);
  }
  for (const TableSpace space : {TableSpace::kConst, TableSpace::kGlobal}) {
    const auto module = generate(*object, checked, {.table_space = space});
    expect_assembles(module, checked.size());
    // Keys and scratch structs become registers: none of these programs needs memory of its own.
    EXPECT_EQ(module ? module->ptx.find(".local") : 0, std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Example, ::testing::ValuesIn(example_names()),
                         [](const auto& example) { return example.param; });

}  // namespace
}  // namespace egpu::codegen
