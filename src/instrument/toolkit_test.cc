// The sources of tests/cuda through nvcc, the parser, instrument() and ptxas.
#include "support/toolkit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/probe_table.h"
#include "base/file.h"
#include "instrument/instrument.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"
#include "ptx/printer.h"

namespace egpu::instrument {
namespace {

// Empty: what a twin itself costs. Counting: what a probe looks like that uses the table, both ids,
// a constant and a function of its own.
constexpr std::string_view kProbes = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .const .align 8 .b8 egpu_probe_table[16];
.global .align 8 .b8 egpu_read_only_0[8] = {1, 2, 3};
.func (.param .b64 func_retval0) egpu_function_0_1(.param .b64 egpu_function_0_1_param_0);
.func empty_probe(.param .b32 kernel_id, .param .b32 site_id) { ret; }
.func counting_probe(.param .b32 kernel_id, .param .b32 site_id)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<5>;
  ld.param.b32 %r1, [kernel_id];
  ld.param.b32 %r2, [site_id];
  add.s32 %r3, %r1, %r2;
  ld.const.b64 %rd1, [egpu_probe_table+8];
  mul.wide.u32 %rd2, %r3, 8;
  add.s64 %rd3, %rd1, %rd2;
  {
    .param .b64 param0;
    .param .b64 retval0;
    st.param.b64 [param0], 2;
    call.uni (retval0), egpu_function_0_1, (param0);
    ld.param.b64 %rd4, [retval0];
  }
  red.global.add.u64 [%rd3], %rd4;
  ret;
}
.func (.param .b64 func_retval0) egpu_function_0_1(.param .b64 egpu_function_0_1_param_0)
{
  .reg .b64 %rd<5>;
  mov.b64 %rd1, egpu_read_only_0;
  ld.param.b64 %rd2, [egpu_function_0_1_param_0];
  add.s64 %rd3, %rd1, %rd2;
  ld.global.nc.b8 %rd4, [%rd3];
  st.param.b64 [func_retval0], %rd4;
  ret;
}
)";

struct Case {
  const char* source;
  const char* architecture;
  std::vector<std::string> nvcc_options = {};
  std::vector<std::string> ptxas_options = {};
  const char* suffix = "";
};

class Toolkit : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    nvcc = toolkit::find_tool("nvcc");
    ptxas = toolkit::find_tool("ptxas");
    if (nvcc.empty() || ptxas.empty()) GTEST_SKIP() << "no CUDA toolkit (nvcc, ptxas) here";
    compile();
  }

  // The source as PTX text in text, its tree in application.
  void compile() {
    const std::string output = (folder / "app.ptx").string();
    std::vector<std::string> command = {
        nvcc, "-std=c++17", "-ptx", "-arch", GetParam().architecture, "-o", output};
    command.insert(command.end(), GetParam().nvcc_options.begin(), GetParam().nvcc_options.end());
    command.push_back(std::string(EGPU_SOURCE_DIR "/tests/cuda/") + GetParam().source + ".cu");
    const toolkit::Outcome compiled = toolkit::run(command);
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    const auto bytes = read_file(output);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    text = as_text(*bytes);
    auto module = ptx::parse(text, "app.ptx");
    ASSERT_TRUE(module) << to_string(module.error());
    application = *std::move(module);
  }

  // Every kernel with `probe` at entry and exit.
  ptx::Module instrumented(const std::string& probe) {
    const auto probes = ptx::parse(kProbes, "probes.ptx");
    EXPECT_TRUE(probes);
    std::vector<KernelProbes> sites;
    for (const ptx::Function* entry : application.entries())
      sites.push_back(
          {std::string(entry->name), static_cast<std::uint32_t>(sites.size()), {probe}, {probe}});
    EXPECT_FALSE(sites.empty());
    auto result = instrument(application, *probes, sites);
    EXPECT_TRUE(result) << to_string(result.error());
    return result ? *std::move(result) : ptx::Module{};
  }

  toolkit::Outcome assemble(const std::string& module) {
    const std::string input = (folder / "instrumented.ptx").string();
    EXPECT_TRUE(write_file(input, as_bytes(module)));
    std::vector<std::string> command = {ptxas, "-v", "-arch", GetParam().architecture};
    command.insert(command.end(), GetParam().ptxas_options.begin(), GetParam().ptxas_options.end());
    command.insert(command.end(), {"-o", (folder / "out.cubin").string(), input});
    return toolkit::run(command);
  }

  std::filesystem::path nvcc;
  std::filesystem::path ptxas;
  toolkit::TemporaryFolder folder;
  std::string text;
  ptx::Module application;
};

std::vector<std::string> texts(std::string_view source) {
  std::vector<std::string> result;
  const auto all = ptx::tokens(source, "tokens");
  EXPECT_TRUE(all) << to_string(all.error());
  if (!all) return result;
  for (const ptx::Token& token : *all) result.emplace_back(token.text);
  return result;
}

// Operands the parser had to keep as text, with their opcode.
void collect_raw(const ptx::Block& block, std::vector<std::string>& raw) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* nested = std::get_if<ptx::Block>(&statement)) collect_raw(*nested, raw);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr) continue;
    for (const ptx::Operand& operand : instruction->operands)
      if (const auto* text = std::get_if<ptx::RawOperand>(&operand))
        raw.push_back(std::string(instruction->opcode.text) + " " + std::string(text->text));
  }
}

void expect_round_trip(const ptx::Module& application, const std::string& text) {
  EXPECT_EQ(texts(ptx::print(application)), texts(text));
  std::vector<std::string> raw;
  for (const ptx::Item& item : application.items)
    if (const auto* function = std::get_if<ptx::Function>(&item);
        function != nullptr && function->body)
      collect_raw(*function->body, raw);
  EXPECT_THAT(raw, ::testing::IsEmpty());
}

void expect_same_entries(const ptx::Module& application, const ptx::Module& result) {
  std::map<std::string_view, std::string> printed;
  for (const ptx::Function* entry : result.entries()) printed[entry->name] = ptx::print(*entry);
  for (const ptx::Function* entry : application.entries())
    EXPECT_EQ(texts(printed[entry->name]), texts(ptx::print(*entry)));
}

void expect_same_registers(const ptx::Module& application, const std::string& ptxas_output) {
  const auto registers = toolkit::registers_by_kernel(ptxas_output);
  for (const ptx::Function* entry : application.entries()) {
    const std::string name(entry->name);
    ASSERT_TRUE(registers.contains(name)) << ptxas_output;
    ASSERT_TRUE(registers.contains(abi::kInstrumentedPrefix + name)) << ptxas_output;
    EXPECT_EQ(registers.at(abi::kInstrumentedPrefix + name), registers.at(name)) << name;
  }
}

// One test for all checks: each case is a process of its own under ctest, and nvcc is the slow
// part.
TEST_P(Toolkit, InstrumentsWhatNvccEmits) {
  expect_round_trip(application, text);

  const ptx::Module counting = instrumented("counting_probe");
  expect_same_entries(application, counting);
  const std::string printed = ptx::print(counting);
  const toolkit::Outcome accepted = assemble(printed);
  EXPECT_EQ(accepted.status, 0) << accepted.output << printed;

  const toolkit::Outcome empty = assemble(ptx::print(instrumented("empty_probe")));
  ASSERT_EQ(empty.status, 0) << empty.output;
  // ptxas inlines the probe: the twin with an empty one needs no register more. Not in debug code,
  // where nothing is inlined and the call alone makes ptxas keep to its calling convention.
  if (text.find(", debug") == std::string::npos) expect_same_registers(application, empty.output);
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char* source :
       {"vec_add", "reduction", "functions", "data", "tensor", "inline_asm", "cooperative"})
    for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_90a", "sm_100"})
      result.push_back({source, architecture});
  result.push_back({"functions", "sm_90", {"-lineinfo"}, {"-lineinfo"}, "_lineinfo"});
  result.push_back({"functions", "sm_90", {"-G"}, {"-g"}, "_debug"});
  result.push_back({"data", "sm_90", {"-G"}, {"-g"}, "_debug"});
  return result;
}

std::string case_name(const ::testing::TestParamInfo<Case>& test) {
  return std::string(test.param.source) + "_" + test.param.architecture + test.param.suffix;
}

INSTANTIATE_TEST_SUITE_P(Sources, Toolkit, ::testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace egpu::instrument
