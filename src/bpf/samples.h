// One of every instruction that code of an object can hold, for the tests of this folder.
#pragma once

#include <vector>

#include "bpf/instruction.h"

namespace egpu::bpf::testing {

struct Sample {
  Instruction instruction;
  const char* text;
};
inline const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {Alu{AluOp::kAdd, Width::k64, kR1, Imm{-5}}, "r1 += -5"},
      {Alu{AluOp::kSub, Width::k32, kR1, kR2}, "w1 -= w2"},
      {Alu{AluOp::kMul, Width::k64, kR1, kR2}, "r1 *= r2"},
      {Alu{AluOp::kDiv, Width::k64, kR1, Imm{3}}, "r1 /= 3"},
      {Alu{AluOp::kSdiv, Width::k32, kR1, kR2}, "w1 s/= w2"},
      {Alu{AluOp::kMod, Width::k64, kR1, kR2}, "r1 %= r2"},
      {Alu{AluOp::kSmod, Width::k64, kR1, Imm{7}}, "r1 s%= 7"},
      {Alu{AluOp::kOr, Width::k64, kR1, kR2}, "r1 |= r2"},
      {Alu{AluOp::kAnd, Width::k32, kR1, Imm{31}}, "w1 &= 31"},
      {Alu{AluOp::kXor, Width::k64, kR1, kR2}, "r1 ^= r2"},
      {Alu{AluOp::kLsh, Width::k64, kR1, Imm{32}}, "r1 <<= 32"},
      {Alu{AluOp::kRsh, Width::k32, kR1, kR2}, "w1 >>= w2"},
      {Alu{AluOp::kArsh, Width::k64, kR1, Imm{32}}, "r1 s>>= 32"},
      {Mov{Width::k64, kR1, kR10}, "r1 = r10"},
      {Mov{Width::k32, kR0, Imm{0}}, "w0 = 0"},
      {Mov{Width::k64, kR1, kR2, 8}, "r1 = (s8)r2"},
      {Mov{Width::k32, kR1, kR2, 16}, "w1 = (s16)w2"},
      {Mov{Width::k64, kR1, kR2, 32}, "r1 = (s32)r2"},
      {Neg{Width::k64, kR3}, "r3 = -r3"},
      {Neg{Width::k32, kR3}, "w3 = -w3"},
      {ByteSwap{ByteOrder::kToLittle, 16, kR1}, "r1 = le16 r1"},
      {ByteSwap{ByteOrder::kToBig, 32, kR1}, "r1 = be32 r1"},
      {ByteSwap{ByteOrder::kSwap, 64, kR1}, "r1 = bswap64 r1"},
      {LoadImm64{Imm64Kind::kConstant, kR1, 0x1122334455667788}, "r1 = 0x1122334455667788 ll"},
      {LoadImm64{Imm64Kind::kMap, kR1, 3}, "r1 = map[3]"},
      {LoadImm64{Imm64Kind::kMapData, kR1, 8, 2}, "r1 = map_data[2] +8"},
      {LoadImm64{Imm64Kind::kReadOnly, kR1, 0, 1}, "r1 = read_only[1] +0"},
      {Load{MemSize::k32, false, kR0, kR1, 4}, "r0 = *(u32 *)(r1 +4)"},
      {Load{MemSize::k64, false, kR0, kR10, -8}, "r0 = *(u64 *)(r10 -8)"},
      {Load{MemSize::k8, true, kR0, kR1, 0}, "r0 = *(s8 *)(r1 +0)"},
      {Load{MemSize::k16, true, kR0, kR1, 2}, "r0 = *(s16 *)(r1 +2)"},
      {Store{MemSize::k16, kR10, -2, kR1}, "*(u16 *)(r10 -2) = r1"},
      {Store{MemSize::k64, kR10, -8, Imm{-1}}, "*(u64 *)(r10 -8) = -1"},
      {Atomic{AtomicOp::kAdd, false, MemSize::k64, kR0, 8, kR1},
       "lock atomic64_add(*(u64 *)(r0 +8), r1)"},
      {Atomic{AtomicOp::kOr, true, MemSize::k32, kR0, 0, kR1},
       "r1 = atomic_fetch_or(*(u32 *)(r0 +0), r1)"},
      {Atomic{AtomicOp::kAnd, false, MemSize::k32, kR0, 0, kR1},
       "lock atomic_and(*(u32 *)(r0 +0), r1)"},
      {Atomic{AtomicOp::kXor, true, MemSize::k64, kR0, 0, kR1},
       "r1 = atomic64_fetch_xor(*(u64 *)(r0 +0), r1)"},
      {Atomic{AtomicOp::kExchange, true, MemSize::k64, kR0, 0, kR1},
       "r1 = atomic64_xchg(*(u64 *)(r0 +0), r1)"},
      {Atomic{AtomicOp::kCompareExchange, true, MemSize::k64, Reg{6}, 0, kR1},
       "r0 = atomic64_cmpxchg(*(u64 *)(r6 +0), r0, r1)"},
      {Jump{0}, "goto 0"},
      {Jump{0, true}, "gotol 0"},
      {JumpIf{Condition::kEq, Width::k64, kR1, Imm{0}, 0}, "if r1 == 0 goto 0"},
      {JumpIf{Condition::kNe, Width::k32, kR1, kR2, 0}, "if w1 != w2 goto 0"},
      {JumpIf{Condition::kSet, Width::k64, kR1, Imm{4}, 0}, "if r1 & 4 goto 0"},
      {JumpIf{Condition::kGt, Width::k64, kR1, kR2, 0}, "if r1 > r2 goto 0"},
      {JumpIf{Condition::kGe, Width::k64, kR1, kR2, 0}, "if r1 >= r2 goto 0"},
      {JumpIf{Condition::kLt, Width::k64, kR1, kR2, 0}, "if r1 < r2 goto 0"},
      {JumpIf{Condition::kLe, Width::k64, kR1, kR2, 0}, "if r1 <= r2 goto 0"},
      {JumpIf{Condition::kSgt, Width::k32, kR1, Imm{-1}, 0}, "if w1 s> -1 goto 0"},
      {JumpIf{Condition::kSge, Width::k64, kR1, kR2, 0}, "if r1 s>= r2 goto 0"},
      {JumpIf{Condition::kSlt, Width::k64, kR1, kR2, 0}, "if r1 s< r2 goto 0"},
      {JumpIf{Condition::kSle, Width::k64, kR1, kR2, 0}, "if r1 s<= r2 goto 0"},
      {CallHelper{1}, "call 1"},
      {CallHelper{-1}, "call -1"},
      {CallExtern{4}, "call extern 4"},
      {Exit{}, "exit"},
  };
  return all;
}

}  // namespace egpu::bpf::testing
