// The numbers of RFC 9669, shared by decoder and encoder.
#pragma once

#include <cstdint>
#include <optional>

#include "bpf/instruction.h"

namespace egpu::bpf {

// One 8-byte slot as it lies in memory.
struct RawSlot {
  std::uint8_t opcode = 0;
  std::uint8_t registers = 0;  // dst: low half
  std::int16_t offset = 0;
  std::int32_t imm = 0;

  [[nodiscard]] std::uint8_t dst() const { return registers & 0xf; }
  [[nodiscard]] std::uint8_t src() const { return registers >> 4; }
  [[nodiscard]] std::uint8_t instruction_class() const { return opcode & 0x07; }
};
static_assert(sizeof(RawSlot) == 8);

enum InstructionClass : std::uint8_t {
  kClassLd = 0,
  kClassLdx = 1,
  kClassSt = 2,
  kClassStx = 3,
  kClassAlu32 = 4,
  kClassJmp = 5,
  kClassJmp32 = 6,
  kClassAlu64 = 7,
};

inline constexpr std::uint8_t kSourceRegister = 0x08;  // ALU and JMP: the operand is src, not imm
inline constexpr std::uint8_t kOperationMask = 0xf0;
inline constexpr std::uint8_t kModeMask = 0xe0;
inline constexpr std::uint8_t kSizeMask = 0x18;

inline constexpr std::uint8_t kModeMem = 0x60;
inline constexpr std::uint8_t kModeMemSignExtend = 0x80;
inline constexpr std::uint8_t kModeAtomic = 0xc0;
inline constexpr std::uint8_t kOpcodeLoadImm64 = 0x18;

// What the source register field of a 16-byte load says, besides 0: a plain number.
inline constexpr std::uint8_t kLoadFunction = 4;

inline constexpr std::uint8_t kOperationNeg = 0x80;
inline constexpr std::uint8_t kOperationMov = 0xb0;
inline constexpr std::uint8_t kOperationEnd = 0xd0;
inline constexpr std::uint8_t kOperationJa = 0x00;
inline constexpr std::uint8_t kOperationCall = 0x80;
inline constexpr std::uint8_t kOperationExit = 0x90;
inline constexpr std::uint8_t kOperationMayGoto = 0xe0;

// What the source register field of a call says.
inline constexpr std::uint8_t kCallHelper = 0;
inline constexpr std::uint8_t kCallSubprogram = 1;
inline constexpr std::uint8_t kCallByBtfId = 2;

inline constexpr std::int32_t kAtomicFetch = 0x01;

// The value of an operation whose encoding has two parts: the operation bits and, for signed forms,
// the offset.
struct AluEncoding {
  AluOp op;
  std::uint8_t operation;
  std::int16_t offset;
};
inline constexpr AluEncoding kAluEncodings[] = {
    {AluOp::kAdd, 0x00, 0},  {AluOp::kSub, 0x10, 0},  {AluOp::kMul, 0x20, 0},
    {AluOp::kDiv, 0x30, 0},  {AluOp::kSdiv, 0x30, 1}, {AluOp::kOr, 0x40, 0},
    {AluOp::kAnd, 0x50, 0},  {AluOp::kLsh, 0x60, 0},  {AluOp::kRsh, 0x70, 0},
    {AluOp::kMod, 0x90, 0},  {AluOp::kSmod, 0x90, 1}, {AluOp::kXor, 0xa0, 0},
    {AluOp::kArsh, 0xc0, 0},
};

struct ConditionEncoding {
  Condition condition;
  std::uint8_t operation;
};
inline constexpr ConditionEncoding kConditionEncodings[] = {
    {Condition::kEq, 0x10},  {Condition::kGt, 0x20},  {Condition::kGe, 0x30},
    {Condition::kSet, 0x40}, {Condition::kNe, 0x50},  {Condition::kSgt, 0x60},
    {Condition::kSge, 0x70}, {Condition::kLt, 0xa0},  {Condition::kLe, 0xb0},
    {Condition::kSlt, 0xc0}, {Condition::kSle, 0xd0},
};

struct AtomicEncoding {
  AtomicOp op;
  bool fetch;
  std::int32_t imm;
};
inline constexpr AtomicEncoding kAtomicEncodings[] = {
    {AtomicOp::kAdd, false, 0x00},
    {AtomicOp::kAdd, true, 0x00 | kAtomicFetch},
    {AtomicOp::kOr, false, 0x40},
    {AtomicOp::kOr, true, 0x40 | kAtomicFetch},
    {AtomicOp::kAnd, false, 0x50},
    {AtomicOp::kAnd, true, 0x50 | kAtomicFetch},
    {AtomicOp::kXor, false, 0xa0},
    {AtomicOp::kXor, true, 0xa0 | kAtomicFetch},
    {AtomicOp::kExchange, true, 0xe0 | kAtomicFetch},
    {AtomicOp::kCompareExchange, true, 0xf0 | kAtomicFetch},
};

constexpr MemSize size_from_opcode(std::uint8_t opcode) {
  switch (opcode & kSizeMask) {
    case 0x00:
      return MemSize::k32;
    case 0x08:
      return MemSize::k16;
    case 0x10:
      return MemSize::k8;
    default:
      return MemSize::k64;
  }
}

constexpr std::uint8_t size_bits(MemSize size) {
  switch (size) {
    case MemSize::k32:
      return 0x00;
    case MemSize::k16:
      return 0x08;
    case MemSize::k8:
      return 0x10;
    case MemSize::k64:
      break;
  }
  return 0x18;
}

}  // namespace egpu::bpf
