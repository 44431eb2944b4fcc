// eBPF instructions as value structs (RFC 9669). The variant is the whole language of the later
// stages: checker and code generator never see raw encodings.
//
// Jump and call targets are indexes into the program's instruction vector (a 16-byte immediate load
// is one entry); `Program::slots` maps back to 8-byte slots for messages.
#pragma once

#include <cstdint>
#include <variant>

namespace egpu::bpf {

struct Reg {
  std::uint8_t index = 0;  // 0 to 10; 10 is the frame pointer
  bool operator==(const Reg&) const = default;
};
inline constexpr Reg kR0{0}, kR1{1}, kR2{2}, kR3{3}, kR4{4}, kR5{5}, kR10{10};

struct Imm {
  std::int32_t value = 0;  // sign-extended where a 64-bit operation uses it
  bool operator==(const Imm&) const = default;
};

using Operand = std::variant<Reg, Imm>;

enum class Width : std::uint8_t { k32, k64 };  // 32: upper half of dst becomes zero
enum class MemSize : std::uint8_t { k8 = 1, k16 = 2, k32 = 4, k64 = 8 };  // value = bytes

enum class AluOp : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kOr,
  kAnd,
  kLsh,
  kRsh,
  kMod,
  kXor,
  kArsh,
  kSdiv,
  kSmod
};
struct Alu {
  AluOp op;
  Width width;
  Reg dst;
  Operand src;
  bool operator==(const Alu&) const = default;
};

// dst = src; with sign_bits 8, 16 or 32 the low bits of src sign-extended (movsx, register source).
struct Mov {
  Width width;
  Reg dst;
  Operand src;
  std::uint8_t sign_bits = 0;
  bool operator==(const Mov&) const = default;
};

struct Neg {
  Width width;
  Reg dst;
  bool operator==(const Neg&) const = default;
};

enum class ByteOrder : std::uint8_t { kToLittle, kToBig, kSwap };
struct ByteSwap {
  ByteOrder order;
  std::uint8_t bits;  // 16, 32, 64
  Reg dst;
  bool operator==(const ByteSwap&) const = default;
};

// The 16-byte immediate load: what dst gets, and what `value` and `index` then are.
enum class Imm64Kind : std::uint8_t {
  kConstant,  // the number `value`
  kMap,       // the map itself; value: index in Object::maps
  kMapData,  // the address of byte `value` of the only value of map `index`: a variable of .data or
             // .bss
  kReadOnly,  // the address of byte `value` of Object::read_only[index]: of .rodata
  kFunction,  // a function of the program, for helpers that call back; value: its first instruction
};
struct LoadImm64 {
  Imm64Kind kind;
  Reg dst;
  std::uint64_t value;
  std::uint32_t index = 0;
  bool operator==(const LoadImm64&) const = default;
};

struct Load {  // dst = *(size*)(base + offset)
  MemSize size;
  bool sign_extend;
  Reg dst;
  Reg base;
  std::int16_t offset;
  bool operator==(const Load&) const = default;
};

struct Store {  // *(size*)(base + offset) = src
  MemSize size;
  Reg base;
  std::int16_t offset;
  Operand src;
  bool operator==(const Store&) const = default;
};

enum class AtomicOp : std::uint8_t { kAdd, kOr, kAnd, kXor, kExchange, kCompareExchange };
struct Atomic {  // size: 32 or 64; kExchange and kCompareExchange (against r0) always fetch
  AtomicOp op;
  bool fetch;
  MemSize size;
  Reg base;
  std::int16_t offset;
  Reg src;
  bool operator==(const Atomic&) const = default;
};

struct Jump {
  std::uint32_t target;
  bool wide = false;  // gotol: the distance has 32 bits instead of 16
  bool operator==(const Jump&) const = default;
};

enum class Condition : std::uint8_t { kEq, kNe, kSet, kGt, kGe, kLt, kLe, kSgt, kSge, kSlt, kSle };
struct JumpIf {
  Condition condition;
  Width width;
  Reg dst;
  Operand src;
  std::uint32_t target;
  bool operator==(const JumpIf&) const = default;
};

struct CallHelper {
  std::int32_t helper;  // Linux number
  bool operator==(const CallHelper&) const = default;
};

// r1 to r5 are the arguments, r6 to r9 are preserved, the callee has a stack frame of its own.
struct CallSubprogram {
  std::uint32_t target;
  bool operator==(const CallSubprogram&) const = default;
};

// A function that egpu provides by name (`extern ... __ksym`): an index into Object::externs.
struct CallExtern {
  std::uint32_t function;
  bool operator==(const CallExtern&) const = default;
};

struct Exit {
  bool operator==(const Exit&) const = default;
};

using Instruction = std::variant<Alu, Mov, Neg, ByteSwap, LoadImm64, Load, Store, Atomic, Jump,
                                 JumpIf, CallHelper, CallSubprogram, CallExtern, Exit>;

}  // namespace egpu::bpf
