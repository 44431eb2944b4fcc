// A hand-made program whose function stays a function in PTX.
#pragma once

#include "abi/context.h"
#include "codegen/hand_made.h"

namespace egpu::codegen::testing {

// A function too long to be inlined twice: it changes what r1 points to, in a way that does not
// fold.
inline Steps long_callee(std::int16_t active_mask) {
  Steps steps{
      {bpf::Load{MemSize::k32, false, Reg{4}, Reg{2}, active_mask}, Region::kContext, active_mask}};
  for (int i = 0; i < 900; ++i) {
    steps = steps + Steps{{bpf::Load{MemSize::k64, false, Reg{3}, Reg{1}, 0}, Region::kGeneric},
                          bpf::Alu{bpf::AluOp::kMul, Width::k64, Reg{3}, Imm{7 + i}},
                          bpf::Alu{bpf::AluOp::kXor, Width::k64, Reg{3}, Reg{4}},
                          {bpf::Store{MemSize::k64, Reg{1}, 0, Reg{3}}, Region::kGeneric}};
  }
  return steps + leave();
}

inline Input long_calls() {
  const auto mask = static_cast<std::int16_t>(abi::context_offset(abi::ContextField::kActiveMask));
  Steps caller{bpf::Mov{Width::k64, Reg{7}, Reg{1}}};
  for (int i = 0; i < 3; ++i) {
    caller = caller + Steps{{bpf::Store{MemSize::k64, Reg{10}, -8, Imm{i}}, Region::kStack, -8},
                            bpf::Mov{Width::k64, Reg{1}, Reg{10}},
                            bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{1}, Imm{-8}},
                            bpf::Mov{Width::k64, Reg{2}, Reg{7}},
                            bpf::CallSubprogram{18}};
  }
  caller = caller + leave();
  const Steps all = caller + long_callee(mask);
  return {.maps = {array_map(8, 4)},
          .programs = {{all, {18, static_cast<std::uint32_t>(all.size())}}},
          .options = {}};
}

}  // namespace egpu::codegen::testing
