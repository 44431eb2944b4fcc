// The hook plan: how to redirect functions of a shared library, decided by the service from the
// library's *file* and carried out by the injected library in memory. Plain data: it crosses a
// process boundary.
//
// Method. A uprobe owns a function's first instruction (measured: a jump written over it kills the
// process), and a jump over several instructions can catch a thread between them. So exactly one
// instruction of at least five bytes, not the first, is replaced by `jmp rel32`: threads are before
// it or after it, never inside, and the five bytes lie in one aligned 16-byte block (8-byte
// preferred), so one atomic store changes them. What ran before it (pushes, frame set-up) is undone
// by the entry stub, so the hook sees the state of a call; calling the original runs a copy of the
// whole prologue (relocated) and jumps behind the replaced instruction.
//
//   function:  push rbp; mov rbp,rsp; push r12; sub rsp,8; jmp STUB (was cmpl imm,disp(%rip)); ...
//   stub:      add rsp,8 (lea); pop r12; pop rbp; jmp *hook
//   original:  push rbp; mov rbp,rsp; push r12; sub rsp,8; cmpl imm,disp'(%rip); jmp back
#pragma once

#include <cstdint>

namespace egpu::hook {

inline constexpr unsigned kJumpSize = 5;  // jmp rel32
inline constexpr unsigned kMaxPatchOffset = 48;
inline constexpr unsigned kMaxCode = 96;
inline constexpr unsigned kMaxFixups = 4;

// A 32-bit pc-relative field in `original`: it must hold target - (address of the byte after the
// instruction).
struct Fixup {
  std::uint8_t field_offset;     // in original[]
  std::uint8_t instruction_end;  // in original[]
  std::uint16_t reserved;
  std::uint32_t reserved2;
  std::int64_t target;  // virtual address in the library file
};

struct FunctionPlan {
  char symbol[64];             // exported name, NUL-terminated; empty: not hooked, see reason
  std::uint64_t address;       // virtual address of the function in the library file
  std::uint8_t expected[64];   // its first bytes in the file: checked in memory before patching
  std::uint8_t expected_size;  // bytes to check: up to the end of the replaced instruction
  std::uint8_t patch_offset;   // of the replaced instruction; > 0
  std::uint8_t patch_size;     // its length; >= 5
  std::uint8_t stub_size;
  std::uint8_t stub[32];  // undoes the prologue; the patcher appends the jump to the hook
  std::uint8_t original_size;
  std::uint8_t fixup_count;
  // Prologue and replaced instruction; the patcher appends the jump back.
  std::uint8_t original[kMaxCode];
  Fixup fixups[kMaxFixups];
  char reason[96];  // why the function cannot be hooked; empty if it can
};

}  // namespace egpu::hook
