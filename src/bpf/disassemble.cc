#include "bpf/disassemble.h"

#include <fmt/format.h>

namespace egpu::bpf {
namespace {

std::string name(Reg reg, Width width) {
  return fmt::format("{}{}", width == Width::k64 ? 'r' : 'w', reg.index);
}
std::string name(Reg reg) { return name(reg, Width::k64); }

std::string text(const Operand& operand, Width width) {
  if (const auto* reg = std::get_if<Reg>(&operand)) return name(*reg, width);
  return fmt::format("{}", std::get<Imm>(operand).value);
}

std::string address(MemSize size, Reg base, std::int16_t offset, char sign = 'u') {
  return fmt::format("*({}{} *)({} {:+})", sign, 8 * static_cast<int>(size), name(base), offset);
}

const char* symbol(AluOp op) {
  switch (op) {
    case AluOp::kAdd:
      return "+=";
    case AluOp::kSub:
      return "-=";
    case AluOp::kMul:
      return "*=";
    case AluOp::kDiv:
      return "/=";
    case AluOp::kOr:
      return "|=";
    case AluOp::kAnd:
      return "&=";
    case AluOp::kLsh:
      return "<<=";
    case AluOp::kRsh:
      return ">>=";
    case AluOp::kMod:
      return "%=";
    case AluOp::kXor:
      return "^=";
    case AluOp::kArsh:
      return "s>>=";
    case AluOp::kSdiv:
      return "s/=";
    case AluOp::kSmod:
      return "s%=";
  }
  return "?";
}

const char* symbol(Condition condition) {
  switch (condition) {
    case Condition::kEq:
      return "==";
    case Condition::kNe:
      return "!=";
    case Condition::kSet:
      return "&";
    case Condition::kGt:
      return ">";
    case Condition::kGe:
      return ">=";
    case Condition::kLt:
      return "<";
    case Condition::kLe:
      return "<=";
    case Condition::kSgt:
      return "s>";
    case Condition::kSge:
      return "s>=";
    case Condition::kSlt:
      return "s<";
    case Condition::kSle:
      return "s<=";
  }
  return "?";
}

const char* symbol(AtomicOp op) {
  switch (op) {
    case AtomicOp::kAdd:
      return "add";
    case AtomicOp::kOr:
      return "or";
    case AtomicOp::kAnd:
      return "and";
    case AtomicOp::kXor:
      return "xor";
    case AtomicOp::kExchange:
      return "xchg";
    case AtomicOp::kCompareExchange:
      return "cmpxchg";
  }
  return "?";
}

struct Printer {
  std::string operator()(const Alu& alu) const {
    return fmt::format("{} {} {}", name(alu.dst, alu.width), symbol(alu.op),
                       text(alu.src, alu.width));
  }
  std::string operator()(const Mov& mov) const {
    const std::string cast = mov.sign_bits == 0 ? "" : fmt::format("(s{})", mov.sign_bits);
    return fmt::format("{} = {}{}", name(mov.dst, mov.width), cast, text(mov.src, mov.width));
  }
  std::string operator()(const Neg& neg) const {
    return fmt::format("{0} = -{0}", name(neg.dst, neg.width));
  }
  std::string operator()(const ByteSwap& swap) const {
    const char* const form = swap.order == ByteOrder::kSwap    ? "bswap"
                             : swap.order == ByteOrder::kToBig ? "be"
                                                               : "le";
    return fmt::format("{0} = {1}{2} {0}", name(swap.dst), form, swap.bits);
  }
  std::string operator()(const LoadImm64& load) const {
    return load.kind == Imm64Kind::kMap ? fmt::format("{} = map[{}]", name(load.dst), load.value)
                                        : fmt::format("{} = {:#x} ll", name(load.dst), load.value);
  }
  std::string operator()(const Load& load) const {
    return fmt::format("{} = {}", name(load.dst),
                       address(load.size, load.base, load.offset, load.sign_extend ? 's' : 'u'));
  }
  std::string operator()(const Store& store) const {
    return fmt::format("{} = {}", address(store.size, store.base, store.offset),
                       text(store.src, Width::k64));
  }
  std::string operator()(const Atomic& atomic) const {
    const std::string target = address(atomic.size, atomic.base, atomic.offset);
    const char* const bits = atomic.size == MemSize::k64 ? "64" : "";
    if (atomic.op == AtomicOp::kCompareExchange) {
      return fmt::format("r0 = atomic{}_cmpxchg({}, r0, {})", bits, target, name(atomic.src));
    }
    if (atomic.fetch) {
      const char* const prefix = atomic.op == AtomicOp::kExchange ? "" : "fetch_";
      return fmt::format("{0} = atomic{1}_{2}{3}({4}, {0})", name(atomic.src), bits, prefix,
                         symbol(atomic.op), target);
    }
    return fmt::format("lock atomic{}_{}({}, {})", bits, symbol(atomic.op), target,
                       name(atomic.src));
  }
  std::string operator()(const Jump& jump) const { return fmt::format("goto {}", jump.target); }
  std::string operator()(const JumpIf& jump) const {
    return fmt::format("if {} {} {} goto {}", name(jump.dst, jump.width), symbol(jump.condition),
                       text(jump.src, jump.width), jump.target);
  }
  std::string operator()(const CallHelper& call) const {
    return fmt::format("call {}", call.helper);
  }
  std::string operator()(const Exit&) const { return "exit"; }
};

}  // namespace

std::string to_string(const Instruction& instruction) { return std::visit(Printer{}, instruction); }

}  // namespace egpu::bpf
