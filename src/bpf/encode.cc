#include "bpf/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "bpf/encoding.h"

namespace egpu::bpf {
namespace {

constexpr std::uint8_t pack(Reg dst, Reg src) {
  return static_cast<std::uint8_t>(dst.index | src.index << 4);
}

RawSlot with_operand(std::uint8_t opcode, Reg dst, const Operand& src, std::int16_t offset) {
  if (const auto* reg = std::get_if<Reg>(&src)) {
    return {static_cast<std::uint8_t>(opcode | kSourceRegister), pack(dst, *reg), offset, 0};
  }
  return {opcode, pack(dst, {}), offset, std::get<Imm>(src).value};
}

constexpr std::uint8_t alu_class(Width width) {
  return width == Width::k64 ? kClassAlu64 : kClassAlu32;
}

// Writes the slots of one instruction; `distance` gives how far a jump to an instruction is.
class Encoder {
 public:
  explicit Encoder(std::span<const Instruction> instructions) : instructions_(instructions) {
    std::uint32_t slot = 0;
    for (const Instruction& instruction : instructions) {
      slots_.push_back(slot);
      slot += std::holds_alternative<LoadImm64>(instruction) ? 2 : 1;
    }
  }

  Result<EncodedProgram> run() {
    for (std::size_t i = 0; i < instructions_.size(); ++i) {
      index_ = i;
      EGPU_TRY(std::visit([this](const auto& value) { return encode(value); }, instructions_[i]));
    }
    return std::move(program_);
  }

 private:
  void emit(const RawSlot& raw) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&raw);
    program_.code.insert(program_.code.end(), bytes, bytes + sizeof raw);
  }

  void emit_load(Reg dst, Reg src, std::uint64_t value) {
    emit({kOpcodeLoadImm64, pack(dst, src), 0, static_cast<std::int32_t>(value)});
    emit({0, 0, 0, static_cast<std::int32_t>(value >> 32)});
  }

  // The instruction at hand refers to something that its bytes cannot tell.
  void refer(ReferenceKind kind, std::uint32_t index, std::uint64_t value = 0) {
    program_.references.push_back({slots_[index_], kind, index, value});
  }

  Result<std::int64_t> distance(std::uint32_t target) const {
    if (target >= slots_.size()) {
      return internal_error(fmt::format("jump target {} does not exist", target));
    }
    return std::int64_t{slots_[target]} - slots_[index_] - 1;
  }

  static bool fits_16_bits(std::int64_t value) {
    return value >= std::numeric_limits<std::int16_t>::min() &&
           value <= std::numeric_limits<std::int16_t>::max();
  }

  Result<void> encode(const Alu& alu) {
    const auto& encoding = *std::ranges::find(kAluEncodings, alu.op, &AluEncoding::op);
    emit(
        with_operand(encoding.operation | alu_class(alu.width), alu.dst, alu.src, encoding.offset));
    return {};
  }

  Result<void> encode(const Mov& mov) {
    emit(with_operand(kOperationMov | alu_class(mov.width), mov.dst, mov.src, mov.sign_bits));
    return {};
  }

  Result<void> encode(const Neg& neg) {
    emit(with_operand(kOperationNeg | alu_class(neg.width), neg.dst, Imm{}, 0));
    return {};
  }

  Result<void> encode(const ByteSwap& swap) {
    const std::uint8_t form = swap.order == ByteOrder::kSwap    ? kClassAlu64
                              : swap.order == ByteOrder::kToBig ? kClassAlu32 | kSourceRegister
                                                                : kClassAlu32;
    emit({static_cast<std::uint8_t>(kOperationEnd | form), pack(swap.dst, {}), 0, swap.bits});
    return {};
  }

  Result<void> encode(const LoadImm64& load) {
    switch (load.kind) {
      case Imm64Kind::kConstant:
        emit_load(load.dst, {}, load.value);
        return {};
      case Imm64Kind::kMap:
        refer(ReferenceKind::kMap, static_cast<std::uint32_t>(load.value));
        break;
      case Imm64Kind::kMapData:
        refer(ReferenceKind::kMapData, load.index, load.value);
        break;
      case Imm64Kind::kReadOnly:
        refer(ReferenceKind::kReadOnly, load.index, load.value);
        break;
      case Imm64Kind::kFunction: {
        EGPU_ASSIGN(const std::int64_t far, distance(static_cast<std::uint32_t>(load.value)));
        emit_load(load.dst, Reg{kLoadFunction}, static_cast<std::uint32_t>(far));
        return {};
      }
    }
    emit_load(load.dst, {}, 0);
    return {};
  }

  Result<void> encode(const Load& load) {
    const std::uint8_t mode = load.sign_extend ? kModeMemSignExtend : kModeMem;
    emit({static_cast<std::uint8_t>(kClassLdx | mode | size_bits(load.size)),
          pack(load.dst, load.base), load.offset, 0});
    return {};
  }

  Result<void> encode(const Store& store) {
    const std::uint8_t form = kModeMem | size_bits(store.size);
    if (const auto* reg = std::get_if<Reg>(&store.src)) {
      emit({static_cast<std::uint8_t>(kClassStx | form), pack(store.base, *reg), store.offset, 0});
    } else {
      emit({static_cast<std::uint8_t>(kClassSt | form), pack(store.base, {}), store.offset,
            std::get<Imm>(store.src).value});
    }
    return {};
  }

  Result<void> encode(const Atomic& atomic) {
    const auto* const encoding = std::ranges::find_if(kAtomicEncodings, [&](const auto& known) {
      return known.op == atomic.op && known.fetch == atomic.fetch;
    });
    if (encoding == std::end(kAtomicEncodings)) {
      return internal_error("an exchange that does not fetch has no encoding");
    }
    emit({static_cast<std::uint8_t>(kClassStx | kModeAtomic | size_bits(atomic.size)),
          pack(atomic.base, atomic.src), atomic.offset, encoding->imm});
    return {};
  }

  Result<void> encode(const Jump& jump) {
    EGPU_ASSIGN(const std::int64_t far, distance(jump.target));
    if (jump.wide) {
      emit({kClassJmp32 | kOperationJa, 0, 0, static_cast<std::int32_t>(far)});
      return {};
    }
    if (!fits_16_bits(far)) {
      return input_error(fmt::format("a jump over {} slots has no encoding", far))
          .hint("use gotol");
    }
    emit({kClassJmp | kOperationJa, 0, static_cast<std::int16_t>(far), 0});
    return {};
  }

  Result<void> encode(const JumpIf& jump) {
    EGPU_ASSIGN(const std::int64_t far, distance(jump.target));
    if (!fits_16_bits(far)) {
      return input_error(fmt::format("conditional jump over {} slots has no encoding", far));
    }
    const auto& encoding =
        *std::ranges::find(kConditionEncodings, jump.condition, &ConditionEncoding::condition);
    const std::uint8_t jump_class = jump.width == Width::k64 ? kClassJmp : kClassJmp32;
    emit(with_operand(encoding.operation | jump_class, jump.dst, jump.src,
                      static_cast<std::int16_t>(far)));
    return {};
  }

  Result<void> encode(const CallHelper& call) {
    emit({kClassJmp | kOperationCall, pack({}, Reg{kCallHelper}), 0, call.helper});
    return {};
  }

  Result<void> encode(const CallSubprogram& call) {
    EGPU_ASSIGN(const std::int64_t far, distance(call.target));
    emit({kClassJmp | kOperationCall, pack({}, Reg{kCallSubprogram}), 0,
          static_cast<std::int32_t>(far)});
    return {};
  }

  Result<void> encode(const CallExtern& call) {
    refer(ReferenceKind::kExtern, call.function);
    emit({kClassJmp | kOperationCall, pack({}, Reg{kCallSubprogram}), 0, -1});
    return {};
  }

  Result<void> encode(const Exit&) {
    emit({kClassJmp | kOperationExit, 0, 0, 0});
    return {};
  }

  std::span<const Instruction> instructions_;
  std::vector<std::uint32_t> slots_;  // first slot of each instruction
  std::size_t index_ = 0;             // of the instruction at hand
  EncodedProgram program_;
};

}  // namespace

Result<EncodedProgram> encode(std::span<const Instruction> instructions) {
  return Encoder(instructions).run();
}

}  // namespace egpu::bpf
