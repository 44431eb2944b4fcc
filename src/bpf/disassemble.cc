#include "bpf/disassemble.h"

#include <fmt/format.h>

#include "bpf/spelling.h"

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

struct Printer {
  std::string operator()(const Alu& alu) const {
    return fmt::format("{} {} {}", name(alu.dst, alu.width), spelling(kAluSpellings, alu.op),
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
    return fmt::format("{0} = {1}{2} {0}", name(swap.dst),
                       spelling(kByteOrderSpellings, swap.order), swap.bits);
  }
  std::string operator()(const LoadImm64& load) const {
    const std::string dst = name(load.dst);
    switch (load.kind) {
      case Imm64Kind::kConstant:
        return fmt::format("{} = {:#x} ll", dst, load.value);
      case Imm64Kind::kMap:
        return fmt::format("{} = map[{}]", dst, load.value);
      case Imm64Kind::kMapData:
        return fmt::format("{} = map_data[{}] +{}", dst, load.index, load.value);
      case Imm64Kind::kReadOnly:
        return fmt::format("{} = read_only[{}] +{}", dst, load.index, load.value);
      case Imm64Kind::kFunction:
        break;
    }
    return fmt::format("{} = function {}", dst, load.value);
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
                         spelling(kAtomicSpellings, atomic.op), target);
    }
    return fmt::format("lock atomic{}_{}({}, {})", bits, spelling(kAtomicSpellings, atomic.op),
                       target, name(atomic.src));
  }
  std::string operator()(const Jump& jump) const {
    return fmt::format("{} {}", jump.wide ? "gotol" : "goto", jump.target);
  }
  std::string operator()(const JumpIf& jump) const {
    return fmt::format("if {} {} {} goto {}", name(jump.dst, jump.width),
                       spelling(kConditionSpellings, jump.condition), text(jump.src, jump.width),
                       jump.target);
  }
  std::string operator()(const CallHelper& call) const {
    return fmt::format("call {}", call.helper);
  }
  std::string operator()(const CallSubprogram& call) const {
    return fmt::format("call function {}", call.target);
  }
  std::string operator()(const CallExtern& call) const {
    return fmt::format("call extern {}", call.function);
  }
  std::string operator()(const Exit&) const { return "exit"; }
};

}  // namespace

std::string to_string(const Instruction& instruction) { return std::visit(Printer{}, instruction); }

}  // namespace egpu::bpf
