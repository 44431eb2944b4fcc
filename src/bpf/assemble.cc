#include "bpf/assemble.h"

#include <fmt/format.h>

#include <limits>
#include <map>
#include <string>

#include "bpf/scanner.h"
#include "bpf/spelling.h"

namespace egpu::bpf {
namespace {

using Labels = std::map<std::string, std::uint32_t, std::less<>>;

template <class T, std::size_t count>
const Spelling<T>* find_spelling(const Spelling<T> (&table)[count], std::string_view text) {
  for (const Spelling<T>& entry : table) {
    if (entry.text == text) return &entry;
  }
  return nullptr;
}

// A register as written: r0 is 64 bits wide, w0 its low half.
struct WrittenReg {
  Width width;
  Reg reg;
};

std::optional<WrittenReg> parse_register(std::string_view word) {
  if (word.size() < 2 || word.size() > 3 || (word[0] != 'r' && word[0] != 'w')) return {};
  WrittenReg result{word[0] == 'r' ? Width::k64 : Width::k32, {}};
  const auto [end, error] =
      std::from_chars(word.data() + 1, word.data() + word.size(), result.reg.index);
  if (error != std::errc{} || end != word.data() + word.size() || result.reg.index > kR10.index ||
      (word[1] == '0' && word.size() > 2)) {
    return {};
  }
  return result;
}

// "*(u32 *)(r1 +4)"
struct Address {
  MemSize size;
  bool sign_extend;
  Reg base;
  std::int16_t offset;
};

class LineParser {
 public:
  LineParser(std::string_view line, const Labels& labels) : scan_(line), labels_(labels) {}

  Result<Instruction> run() {
    EGPU_ASSIGN(const Instruction instruction, parse());
    if (!scan_.at_end()) return unexpected("the end of the line");
    return instruction;
  }

 private:
  Result<Instruction> parse() {
    if (scan_.accept("*")) return parse_store();
    const std::string_view word = scan_.word();
    if (word == "exit") return Exit{};
    if (word == "goto" || word == "gotol") {
      EGPU_ASSIGN(const std::uint32_t to, target());
      return Jump{to, word == "gotol"};
    }
    if (word == "call") return parse_call();
    if (word == "if") return parse_jump_if();
    if (word == "lock") return parse_lock();
    if (const auto dst = parse_register(word)) return parse_assignment(*dst);
    return input_error(fmt::format("no instruction starts with \"{}\"", word));
  }

  Result<Instruction> parse_call() {
    if (scan_.accept_word("function")) {
      EGPU_ASSIGN(const std::uint32_t to, target());
      return CallSubprogram{to};
    }
    if (scan_.accept_word("extern")) {
      EGPU_ASSIGN(const std::uint32_t function, index("the index of an extern"));
      return CallExtern{function};
    }
    EGPU_ASSIGN(const std::int32_t helper, number32());
    return CallHelper{helper};
  }

  Result<Instruction> parse_jump_if() {
    EGPU_ASSIGN(const WrittenReg dst, any_register());
    const auto* const condition = find_spelling(kConditionSpellings, scan_.symbol());
    if (condition == nullptr) return unexpected("a comparison");
    EGPU_ASSIGN(const Operand src, operand(dst.width));
    if (!scan_.accept_word("goto")) return unexpected("goto");
    EGPU_ASSIGN(const std::uint32_t to, target());
    return JumpIf{condition->value, dst.width, dst.reg, src, to};
  }

  Result<Instruction> parse_store() {
    EGPU_ASSIGN(const Address to, address());
    if (to.sign_extend) return input_error("a store has no sign: write u for s");
    if (!scan_.accept("=")) return unexpected("=");
    EGPU_ASSIGN(const Operand src, operand(Width::k64));
    return Store{to.size, to.base, to.offset, src};
  }

  // "lock atomic64_add(*(u64 *)(r0 +8), r1)"
  Result<Instruction> parse_lock() {
    const std::string_view word = scan_.word();
    EGPU_ASSIGN(Atomic atomic, atomic_named(word));
    EGPU_TRY(atomic_target(atomic));
    EGPU_ASSIGN(atomic.src, wide_register());
    if (atomic.fetch) return input_error("this operation gives the old value: write r1 = ...");
    return close(atomic);
  }

  // "r1 = atomic_fetch_or(*(u32 *)(r0 +0), r1)", "r0 = atomic64_cmpxchg(*(u64 *)(r6 +0), r0, r1)"
  Result<Instruction> parse_fetch(Reg dst, std::string_view word) {
    EGPU_ASSIGN(Atomic atomic, atomic_named(word));
    if (!atomic.fetch) return input_error("this operation gives no value: write lock ...");
    EGPU_TRY(atomic_target(atomic));
    EGPU_ASSIGN(atomic.src, wide_register());
    Reg result = atomic.src;
    if (atomic.op == AtomicOp::kCompareExchange) {
      result = std::exchange(atomic.src, Reg{});
      if (result != kR0) return input_error("compare-exchange compares with r0");
      if (!scan_.accept(",")) return unexpected(",");
      EGPU_ASSIGN(atomic.src, wide_register());
    }
    if (dst != result) return input_error(fmt::format("the old value goes to r{}", result.index));
    return close(atomic);
  }

  // "atomic64_fetch_add", without the memory it works on.
  static Result<Atomic> atomic_named(std::string_view word) {
    const std::string_view whole = word;
    const auto drop = [&word](std::string_view prefix) {
      if (!word.starts_with(prefix)) return false;
      word.remove_prefix(prefix.size());
      return true;
    };
    MemSize size = MemSize::k32;
    if (drop("atomic64_")) {
      size = MemSize::k64;
    } else if (!drop("atomic_")) {
      return input_error(fmt::format("\"{}\" is no atomic operation", whole));
    }
    const bool fetch = drop("fetch_");
    const auto* const op = find_spelling(kAtomicSpellings, word);
    if (op == nullptr) return input_error(fmt::format("\"{}\" is no atomic operation", whole));
    const bool exchanges =
        op->value == AtomicOp::kExchange || op->value == AtomicOp::kCompareExchange;
    if (fetch && exchanges) return input_error("exchanges always fetch: leave fetch_ out");
    return Atomic{op->value, fetch || exchanges, size, {}, 0, {}};
  }

  Result<void> atomic_target(Atomic& atomic) {
    if (!scan_.accept("(") || !scan_.accept("*")) return unexpected("(*");
    EGPU_ASSIGN(const Address to, address());
    if (to.size != atomic.size || to.sign_extend) {
      return input_error("the size of the memory is not that of the operation");
    }
    atomic.base = to.base;
    atomic.offset = to.offset;
    if (!scan_.accept(",")) return unexpected(",");
    return {};
  }

  Result<Instruction> close(const Atomic& atomic) {
    if (!scan_.accept(")")) return unexpected(")");
    return atomic;
  }

  Result<Instruction> parse_assignment(const WrittenReg& dst) {
    const std::string_view symbol = scan_.symbol();
    if (symbol == "=") return parse_value(dst);
    const auto* const op = find_spelling(kAluSpellings, symbol);
    if (op == nullptr) return input_error(fmt::format("\"{}\" is no operation", symbol));
    EGPU_ASSIGN(const Operand src, operand(dst.width));
    return Alu{op->value, dst.width, dst.reg, src};
  }

  Result<Instruction> parse_value(const WrittenReg& dst) {
    const std::string_view rest = scan_.rest();
    if (rest.starts_with("-r") || rest.starts_with("-w")) return parse_negation(dst);
    if (scan_.accept("(s")) return parse_sign_extension(dst);
    const bool is_register =
        (rest.starts_with("r") || rest.starts_with("w")) && !rest.starts_with("read_only");
    if (is_register) {
      EGPU_ASSIGN(const Operand src, operand(dst.width));
      return Mov{dst.width, dst.reg, src};
    }
    const bool is_number =
        rest.starts_with("-") || (!rest.empty() && rest[0] >= '0' && rest[0] <= '9');
    if (is_number) return parse_constant(dst);
    if (dst.width != Width::k64) return input_error("this instruction needs a register r, not w");
    if (scan_.accept("*")) {
      EGPU_ASSIGN(const Address from, address());
      return Load{from.size, from.sign_extend, dst.reg, from.base, from.offset};
    }
    const std::string_view word = scan_.word();
    if (word.starts_with("atomic")) return parse_fetch(dst.reg, word);
    if (word == "map") {
      EGPU_ASSIGN(const std::uint32_t map, bracketed_index());
      return LoadImm64{Imm64Kind::kMap, dst.reg, map};
    }
    if (word == "map_data") return parse_data(Imm64Kind::kMapData, dst.reg);
    if (word == "read_only") return parse_data(Imm64Kind::kReadOnly, dst.reg);
    if (word == "function") {
      EGPU_ASSIGN(const std::uint32_t to, target());
      return LoadImm64{Imm64Kind::kFunction, dst.reg, to};
    }
    return parse_byte_swap(dst.reg, word);
  }

  Result<Instruction> parse_negation(const WrittenReg& dst) {
    scan_.accept("-");
    EGPU_ASSIGN(const WrittenReg src, any_register());
    if (src.reg != dst.reg || src.width != dst.width) {
      return input_error("negation works on one register: write r1 = -r1");
    }
    return Neg{dst.width, dst.reg};
  }

  Result<Instruction> parse_sign_extension(const WrittenReg& dst) {
    EGPU_ASSIGN(const std::int32_t bits, number32());
    const bool known = bits == 8 || bits == 16 || (bits == 32 && dst.width == Width::k64);
    if (!known) return input_error(fmt::format("no move extends {} bits", bits));
    if (!scan_.accept(")")) return unexpected(")");
    EGPU_ASSIGN(const Operand src, operand(dst.width));
    if (!std::holds_alternative<Reg>(src)) return unexpected("a register");
    return Mov{dst.width, dst.reg, src, static_cast<std::uint8_t>(bits)};
  }

  // "5", or "0x5 ll" for the 16-byte load.
  Result<Instruction> parse_constant(const WrittenReg& dst) {
    const auto number = scan_.number();
    if (!number) return unexpected("a number");
    if (scan_.accept_word("ll")) {
      if (dst.width != Width::k64) return input_error("a 16-byte load needs a register r, not w");
      const std::uint64_t value = number->negative ? -number->magnitude : number->magnitude;
      return LoadImm64{Imm64Kind::kConstant, dst.reg, value};
    }
    EGPU_ASSIGN(const std::int32_t value, narrow(*number));
    return Mov{dst.width, dst.reg, Imm{value}};
  }

  // "map_data[0] +8", from the bracket on.
  Result<Instruction> parse_data(Imm64Kind kind, Reg dst) {
    EGPU_ASSIGN(const std::uint32_t index, bracketed_index());
    const auto offset = scan_.number();
    if (!offset || offset->negative) return unexpected("a byte, such as +8,");
    return LoadImm64{kind, dst, offset->magnitude, index};
  }

  // "[3]"
  Result<std::uint32_t> bracketed_index() {
    if (!scan_.accept("[")) return unexpected("[");
    EGPU_ASSIGN(const std::uint32_t found, index("an index"));
    if (!scan_.accept("]")) return unexpected("]");
    return found;
  }

  Result<std::uint32_t> index(std::string_view wanted) {
    const auto number = scan_.number();
    if (!number || number->negative ||
        number->magnitude > std::numeric_limits<std::uint32_t>::max()) {
      return unexpected(wanted);
    }
    return static_cast<std::uint32_t>(number->magnitude);
  }

  // "be16 r1"
  Result<Instruction> parse_byte_swap(Reg dst, std::string_view word) {
    for (const Spelling<ByteOrder>& order : kByteOrderSpellings) {
      for (const std::uint8_t bits : {16, 32, 64}) {
        if (word != fmt::format("{}{}", order.text, bits)) continue;
        EGPU_ASSIGN(const Reg src, wide_register());
        if (src != dst) return input_error("byte swaps work on one register: write r1 = be16 r1");
        return ByteSwap{order.value, bits, dst};
      }
    }
    return input_error(fmt::format("\"{}\" is no value", word));
  }

  // After the asterisk.
  Result<Address> address() {
    if (!scan_.accept("(")) return unexpected("(");
    const std::string_view type = scan_.word();
    Address result{
        .size = MemSize::k8, .sign_extend = type.starts_with("s"), .base = {}, .offset = 0};
    const std::string_view bits = type.empty() ? type : type.substr(1);
    if (bits == "8") {
      result.size = MemSize::k8;
    } else if (bits == "16") {
      result.size = MemSize::k16;
    } else if (bits == "32") {
      result.size = MemSize::k32;
    } else if (bits == "64" && !result.sign_extend) {
      result.size = MemSize::k64;
    } else {
      return input_error(fmt::format("\"{}\" is no type of memory", type));
    }
    if (!result.sign_extend && !type.starts_with("u")) return unexpected("u8, u16, u32 or u64");
    if (!scan_.accept("*") || !scan_.accept(")") || !scan_.accept("(")) return unexpected("*)(");
    EGPU_ASSIGN(result.base, wide_register());
    EGPU_ASSIGN(const std::int32_t offset, number32());
    if (offset < std::numeric_limits<std::int16_t>::min() ||
        offset > std::numeric_limits<std::int16_t>::max()) {
      return input_error(fmt::format("offset {} does not fit 16 bits", offset));
    }
    result.offset = static_cast<std::int16_t>(offset);
    if (!scan_.accept(")")) return unexpected(")");
    return result;
  }

  Result<WrittenReg> any_register() {
    const auto written = parse_register(scan_.word());
    if (!written) return unexpected("a register");
    return *written;
  }

  Result<Reg> wide_register() {
    EGPU_ASSIGN(const WrittenReg written, any_register());
    if (written.width != Width::k64) return input_error("this must be a register r, not w");
    return written.reg;
  }

  // A register of this width, or a number.
  Result<Operand> operand(Width width) {
    const std::string_view rest = scan_.rest();
    if (rest.starts_with("r") || rest.starts_with("w")) {
      EGPU_ASSIGN(const WrittenReg written, any_register());
      if (written.width != width) return input_error("both registers must have the same width");
      return Operand(written.reg);
    }
    EGPU_ASSIGN(const std::int32_t value, number32());
    return Operand(Imm{value});
  }

  Result<std::int32_t> number32() {
    const auto number = scan_.number();
    if (!number) return unexpected("a number");
    return narrow(*number);
  }

  static Result<std::int32_t> narrow(const Scanner::Number& number) {
    const std::uint64_t limit = number.negative ? std::uint64_t{1} << 31 : 0xffff'ffff;
    if (number.magnitude > limit) return input_error("the number does not fit 32 bits");
    const auto bits = static_cast<std::uint32_t>(number.magnitude);
    return static_cast<std::int32_t>(number.negative ? -bits : bits);
  }

  // A name, or the index of an instruction.
  Result<std::uint32_t> target() {
    const std::string_view rest = scan_.rest();
    if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
      return index("the index of an instruction");
    }
    const std::string_view name = scan_.word();
    const auto label = labels_.find(name);
    if (label == labels_.end()) return input_error(fmt::format("no label is called \"{}\"", name));
    return label->second;
  }

  Error unexpected(std::string_view wanted) {
    return input_error(fmt::format("{} was expected before \"{}\"", wanted, scan_.rest()));
  }

  Scanner scan_;
  const Labels& labels_;
};

struct Line {
  std::size_t number;  // from 1
  std::string_view text;
};

// Takes the labels off the lines: what is left is one instruction a line.
Result<std::vector<Line>> split(std::string_view text, Labels& labels) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      Scanner label(line.substr(0, colon));
      const std::string name(label.word());
      const auto index = static_cast<std::uint32_t>(lines.size());
      if (name.empty() || !label.at_end() || (name[0] >= '0' && name[0] <= '9') ||
          !labels.emplace(name, index).second) {
        return input_error("a label must be a new name").at(fmt::format("line {}", number));
      }
      line.remove_prefix(colon + 1);
    }
    if (!Scanner(line).at_end()) lines.push_back({number, line});
  }
  return lines;
}

}  // namespace

Result<std::vector<Instruction>> assemble(std::string_view text) {
  Labels labels;
  EGPU_ASSIGN(const std::vector<Line> lines, split(text, labels));
  std::vector<Instruction> instructions;
  for (const Line& line : lines) {
    auto instruction = LineParser(line.text, labels).run();
    if (!instruction) {
      return std::move(instruction).error().at(fmt::format("line {}", line.number));
    }
    instructions.push_back(*instruction);
  }
  return instructions;
}

}  // namespace egpu::bpf
