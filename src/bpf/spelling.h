// How operations are written in text: shared by disassembler and assembler.
#pragma once

#include <string_view>

#include "bpf/instruction.h"

namespace egpu::bpf {

template <class T>
struct Spelling {
  T value;
  std::string_view text;
};

inline constexpr Spelling<AluOp> kAluSpellings[] = {
    {AluOp::kAdd, "+="},   {AluOp::kSub, "-="}, {AluOp::kMul, "*="},    {AluOp::kDiv, "/="},
    {AluOp::kOr, "|="},    {AluOp::kAnd, "&="}, {AluOp::kLsh, "<<="},   {AluOp::kRsh, ">>="},
    {AluOp::kMod, "%="},   {AluOp::kXor, "^="}, {AluOp::kArsh, "s>>="}, {AluOp::kSdiv, "s/="},
    {AluOp::kSmod, "s%="},
};

inline constexpr Spelling<Condition> kConditionSpellings[] = {
    {Condition::kEq, "=="},  {Condition::kNe, "!="},   {Condition::kSet, "&"},
    {Condition::kGt, ">"},   {Condition::kGe, ">="},   {Condition::kLt, "<"},
    {Condition::kLe, "<="},  {Condition::kSgt, "s>"},  {Condition::kSge, "s>="},
    {Condition::kSlt, "s<"}, {Condition::kSle, "s<="},
};

inline constexpr Spelling<AtomicOp> kAtomicSpellings[] = {
    {AtomicOp::kAdd, "add"}, {AtomicOp::kOr, "or"},         {AtomicOp::kAnd, "and"},
    {AtomicOp::kXor, "xor"}, {AtomicOp::kExchange, "xchg"}, {AtomicOp::kCompareExchange, "cmpxchg"},
};

inline constexpr Spelling<ByteOrder> kByteOrderSpellings[] = {
    {ByteOrder::kToLittle, "le"},
    {ByteOrder::kToBig, "be"},
    {ByteOrder::kSwap, "bswap"},
};

template <class T, std::size_t count>
constexpr std::string_view spelling(const Spelling<T> (&table)[count], T value) {
  for (const Spelling<T>& entry : table) {
    if (entry.value == value) return entry.text;
  }
  return "?";
}

}  // namespace egpu::bpf
