// ptxas accepts what the code generator writes: every atomic, division, context field and memory width.
#include "codegen/ptxas.h"

#include "abi/context.h"
#include "codegen/test_support.h"

namespace egpu::codegen {
namespace {

using namespace testing;

void expect_assembles(const Input& input) {
  if (!have_ptxas()) GTEST_SKIP() << "no ptxas on this machine";
  const std::string ptx = ptx_of(input);
  for (const char* architecture : kArchitectures)
    EXPECT_EQ(ptxas_complaint(ptx, input.programs.size(), architecture), "");
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

}  // namespace
}  // namespace egpu::codegen
