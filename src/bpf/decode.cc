#include "bpf/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bpf/encoding.h"

namespace egpu::bpf {
namespace {

enum class Subprograms : std::uint8_t { kRefused, kAccepted };

// What the source register field of a 16-byte load asks for, where it is not a plain number.
std::string_view imm64_kind(std::uint8_t source) {
  switch (source) {
    case 1:
      return "a map by its descriptor";
    case 2:
      return "a map's value by its descriptor";
    case 3:
      return "a variable";
    case 4:
      return "the address of code";
    case 5:
      return "a map by its index";
    case 6:
      return "a map's value by its index";
    default:
      return "of no meaning";
  }
}

class Decoder {
 public:
  Decoder(Bytes code, std::span<const Reference> references, Subprograms subprograms,
          const SlotPlace& place)
      : code_(code), references_(references), subprograms_(subprograms), place_(place) {}

  Result<DecodedProgram> run() {
    EGPU_TRY(check_size());
    index_of_slot_.assign(code_.size() / kSlotBytes, kNoInstruction);
    while (slot_ < index_of_slot_.size()) {
      const std::uint32_t first = slot_;
      index_of_slot_[first] = static_cast<std::uint32_t>(program_.instructions.size());
      EGPU_ASSIGN(Instruction instruction, decode_with_reference());
      program_.instructions.push_back(instruction);
      program_.slots.push_back(first);
    }
    if (!references_.empty()) return misplaced(references_.front());
    EGPU_TRY(resolve_jumps());
    EGPU_TRY(check_end());
    return std::move(program_);
  }

 private:
  static constexpr std::uint32_t kNoInstruction = ~std::uint32_t{0};

  Result<void> check_size() const {
    if (code_.empty() || code_.size() % kSlotBytes != 0) {
      return input_error(fmt::format("{} bytes of code are not whole instructions", code_.size()))
          .at(place_(0));
    }
    if (code_.size() / kSlotBytes > kMaxProgramSlots) {
      return input_error(fmt::format("the program has {} instruction slots, more than {}",
                                     code_.size() / kSlotBytes, kMaxProgramSlots))
          .at(place_(0))
          .hint("make the program smaller");
    }
    return {};
  }

  [[nodiscard]] Error refuse(std::string why) const {
    return input_error(fmt::format("opcode {:#04x}: {}", raw_.opcode, why)).at(place_(raw_slot_));
  }

  // A reference that no instruction takes is damage.
  [[nodiscard]] Error misplaced(const Reference& reference) const {
    return input_error("a relocation applies to an instruction that cannot take it")
        .at(place_(reference.slot))
        .hint("the file is damaged: compile it again");
  }

  Result<Instruction> decode_with_reference() {
    if (references_.empty() || references_.front().slot > slot_) return decode_one();
    const Reference reference = references_.front();
    if (reference.slot < slot_) return misplaced(reference);
    reference_ = &reference;
    EGPU_ASSIGN(const Instruction instruction, decode_one());
    if (std::exchange(reference_, nullptr) != nullptr) return misplaced(reference);
    references_ = references_.subspan(1);
    return instruction;
  }

  // The reference of the instruction at hand if it is of `kind`; it counts as taken.
  [[nodiscard]] const Reference* take_reference(ReferenceKind kind) {
    if (reference_ == nullptr || reference_->kind != kind) return nullptr;
    return std::exchange(reference_, nullptr);
  }

  Result<Instruction> decode_one() {
    EGPU_TRY(next_slot());
    if (raw_.dst() > kR10.index || raw_.src() > kR10.index) {
      return refuse("there is no register above r10");
    }
    switch (raw_.instruction_class()) {
      case kClassLd:
        return decode_load_imm64();
      case kClassLdx:
        return decode_load();
      case kClassSt:
        return decode_store_imm();
      case kClassStx:
        return decode_store();
      case kClassAlu32:
        return decode_alu(Width::k32);
      case kClassAlu64:
        return decode_alu(Width::k64);
      case kClassJmp:
        return decode_jump(Width::k64);
      default:
        return decode_jump(Width::k32);
    }
  }

  Result<void> next_slot() {
    raw_slot_ = slot_;
    const auto raw = read_at<RawSlot>(code_, std::uint64_t{slot_} * kSlotBytes);
    if (!raw) return refuse("the instruction is cut off");
    raw_ = *raw;
    ++slot_;
    return {};
  }

  // Fields an instruction does not use must be zero: a later ISA may give them a meaning.
  Result<void> expect_zero(bool dst, bool src, bool offset, bool imm) const {
    if ((dst && raw_.dst() != 0) || (src && raw_.src() != 0) || (offset && raw_.offset != 0) ||
        (imm && raw_.imm != 0)) {
      return refuse("a reserved field is not zero");
    }
    return {};
  }

  // The second operand of ALU and JMP instructions.
  Result<Operand> operand() const {
    const bool from_register = (raw_.opcode & kSourceRegister) != 0;
    EGPU_TRY(expect_zero(false, !from_register, false, from_register));
    if (from_register) return Operand(Reg{raw_.src()});
    return Operand(Imm{raw_.imm});
  }

  Result<Instruction> decode_load_imm64() {
    if (raw_.opcode != kOpcodeLoadImm64) {
      return refuse("legacy packet access is not supported");
    }
    const RawSlot low = raw_;
    const std::uint32_t slot = raw_slot_;
    EGPU_TRY(expect_zero(false, false, true, false));
    EGPU_TRY(next_slot());
    const RawSlot high = std::exchange(raw_, low);
    raw_slot_ = slot;
    if (high.opcode != 0 || high.registers != 0 || high.offset != 0) {
      return refuse("the second half of a 16-byte load is damaged");
    }
    const std::uint64_t value = std::uint64_t{static_cast<std::uint32_t>(high.imm)} << 32 |
                                static_cast<std::uint32_t>(low.imm);
    const Reg dst{low.dst()};
    const auto address = low.src() == 0 ? referenced_address(dst) : std::nullopt;
    if (address) return *address;
    if (low.src() == kLoadFunction && subprograms_ == Subprograms::kAccepted) {
      if (high.imm != 0) return refuse("the second half of a 16-byte load is damaged");
      return LoadImm64{Imm64Kind::kFunction, dst, jump_to(low.imm)};
    }
    if (low.src() != 0) {
      return refuse(fmt::format("a 16-byte load of kind {} ({}) is not supported", low.src(),
                                imm64_kind(low.src())));
    }
    return LoadImm64{Imm64Kind::kConstant, dst, value};
  }

  // What a 16-byte load with a reference loads.
  [[nodiscard]] std::optional<LoadImm64> referenced_address(Reg dst) {
    if (const auto* const map = take_reference(ReferenceKind::kMap)) {
      return LoadImm64{Imm64Kind::kMap, dst, map->index};
    }
    if (const auto* const data = take_reference(ReferenceKind::kMapData)) {
      return LoadImm64{Imm64Kind::kMapData, dst, data->value, data->index};
    }
    if (const auto* const data = take_reference(ReferenceKind::kReadOnly)) {
      return LoadImm64{Imm64Kind::kReadOnly, dst, data->value, data->index};
    }
    if (const auto* const function = take_reference(ReferenceKind::kFunction)) {
      return LoadImm64{Imm64Kind::kFunction, dst, function->index};
    }
    return std::nullopt;
  }

  Result<Instruction> decode_load() const {
    EGPU_TRY(expect_zero(false, false, false, true));
    const std::uint8_t mode = raw_.opcode & kModeMask;
    const MemSize size = size_from_opcode(raw_.opcode);
    const bool sign_extend = mode == kModeMemSignExtend;
    if (mode != kModeMem && !(sign_extend && size != MemSize::k64)) {
      return refuse("this form of load is not supported");
    }
    return Load{size, sign_extend, Reg{raw_.dst()}, Reg{raw_.src()}, raw_.offset};
  }

  Result<Instruction> decode_store_imm() const {
    EGPU_TRY(expect_zero(false, true, false, false));
    if ((raw_.opcode & kModeMask) != kModeMem) return refuse("this form of store is not supported");
    return Store{size_from_opcode(raw_.opcode), Reg{raw_.dst()}, raw_.offset, Imm{raw_.imm}};
  }

  Result<Instruction> decode_store() const {
    const MemSize size = size_from_opcode(raw_.opcode);
    switch (raw_.opcode & kModeMask) {
      case kModeMem:
        EGPU_TRY(expect_zero(false, false, false, true));
        return Store{size, Reg{raw_.dst()}, raw_.offset, Reg{raw_.src()}};
      case kModeAtomic:
        return decode_atomic(size);
      default:
        return refuse("this form of store is not supported");
    }
  }

  Result<Instruction> decode_atomic(MemSize size) const {
    if (size != MemSize::k32 && size != MemSize::k64) {
      return refuse("atomic operations have 4 or 8 bytes");
    }
    const auto* const encoding =
        std::ranges::find(kAtomicEncodings, raw_.imm, &AtomicEncoding::imm);
    if (encoding == std::end(kAtomicEncodings)) {
      const bool ordered_access = raw_.imm == 0x100 || raw_.imm == 0x110;
      return refuse(ordered_access ? std::string("load-acquire and store-release are not supported")
                                   : fmt::format("atomic operation {:#x} is not known", raw_.imm));
    }
    return Atomic{encoding->op,    encoding->fetch, size,
                  Reg{raw_.dst()}, raw_.offset,     Reg{raw_.src()}};
  }

  Result<Instruction> decode_alu(Width width) const {
    const std::uint8_t operation = raw_.opcode & kOperationMask;
    const Reg dst{raw_.dst()};
    switch (operation) {
      case kOperationNeg:
        if ((raw_.opcode & kSourceRegister) != 0) return refuse("negation takes no operand");
        EGPU_TRY(expect_zero(false, true, true, true));
        return Neg{width, dst};
      case kOperationMov:
        return decode_mov(width);
      case kOperationEnd:
        return decode_byte_swap(width);
      default:
        break;
    }
    const auto* const encoding = std::ranges::find_if(kAluEncodings, [&](const AluEncoding& known) {
      return known.operation == operation && known.offset == raw_.offset;
    });
    if (encoding == std::end(kAluEncodings)) {
      return refuse("this arithmetic operation is not known");
    }
    EGPU_ASSIGN(const Operand src, operand());
    return Alu{encoding->op, width, dst, src};
  }

  Result<Instruction> decode_mov(Width width) const {
    EGPU_ASSIGN(const Operand src, operand());
    const std::int16_t bits = raw_.offset;
    const bool extends = bits == 8 || bits == 16 || (bits == 32 && width == Width::k64);
    if (bits != 0 && !(extends && std::holds_alternative<Reg>(src))) {
      return refuse("this form of move is not known");
    }
    return Mov{width, Reg{raw_.dst()}, src, static_cast<std::uint8_t>(bits)};
  }

  Result<Instruction> decode_byte_swap(Width width) const {
    EGPU_TRY(expect_zero(false, true, true, false));
    const bool big = (raw_.opcode & kSourceRegister) != 0;
    const bool known_bits = raw_.imm == 16 || raw_.imm == 32 || raw_.imm == 64;
    if (!known_bits || (width == Width::k64 && big)) {
      return refuse("this form of byte swap is not known");
    }
    const ByteOrder order = width == Width::k64 ? ByteOrder::kSwap
                            : big               ? ByteOrder::kToBig
                                                : ByteOrder::kToLittle;
    return ByteSwap{order, static_cast<std::uint8_t>(raw_.imm), Reg{raw_.dst()}};
  }

  Result<Instruction> decode_jump(Width width) {
    const std::uint8_t operation = raw_.opcode & kOperationMask;
    const bool wide = width == Width::k64;
    const bool from_register = (raw_.opcode & kSourceRegister) != 0;
    if (operation == kOperationJa && !from_register) {
      EGPU_TRY(expect_zero(true, true, !wide, wide));
      return Jump{jump_to(wide ? raw_.offset : raw_.imm), !wide};
    }
    if (operation == kOperationCall && wide) return decode_call(from_register);
    if (operation == kOperationExit && wide && !from_register) {
      EGPU_TRY(expect_zero(true, true, true, true));
      return Exit{};
    }
    if (operation == kOperationMayGoto && wide) return refuse("may_goto is not supported");
    const auto* const encoding =
        std::ranges::find(kConditionEncodings, operation, &ConditionEncoding::operation);
    if (encoding == std::end(kConditionEncodings)) return refuse("this jump is not known");
    EGPU_ASSIGN(const Operand src, operand());
    return JumpIf{encoding->condition, width, Reg{raw_.dst()}, src, jump_to(raw_.offset)};
  }

  Result<Instruction> decode_call(bool from_register) {
    if (from_register) {
      return refuse("calls through a register are not supported")
          .hint("compile with -O2: without it helpers are called through variables");
    }
    switch (raw_.src()) {
      case kCallHelper:
        EGPU_TRY(expect_zero(true, true, true, false));
        return CallHelper{raw_.imm};
      case kCallSubprogram:
        EGPU_TRY(expect_zero(true, false, true, false));
        if (const auto* const function = take_reference(ReferenceKind::kFunction)) {
          return CallSubprogram{function->index};
        }
        if (const auto* const function = take_reference(ReferenceKind::kExtern)) {
          return CallExtern{function->index};
        }
        if (subprograms_ == Subprograms::kRefused) return refuse("the call leads to no function");
        return CallSubprogram{jump_to(raw_.imm)};
      case kCallByBtfId:
        return refuse("calls by BTF ID, of kernel functions (kfuncs), are not supported");
      default:
        return refuse(fmt::format("a call of kind {} is not known", raw_.src()));
    }
  }

  // Jumps hold their target slot until every instruction is known. Out of range: a slot that does
  // not exist.
  [[nodiscard]] std::uint32_t jump_to(std::int64_t distance) const {
    const std::int64_t target = std::int64_t{raw_slot_} + 1 + distance;
    return target < 0 || target >= static_cast<std::int64_t>(index_of_slot_.size())
               ? kNoInstruction
               : static_cast<std::uint32_t>(target);
  }

  Result<void> resolve_jumps() {
    for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
      Instruction& instruction = program_.instructions[i];
      if (auto* const jump = std::get_if<Jump>(&instruction)) {
        EGPU_ASSIGN(jump->target, resolve(jump->target, "jump", i));
      } else if (auto* const jump_if = std::get_if<JumpIf>(&instruction)) {
        EGPU_ASSIGN(jump_if->target, resolve(jump_if->target, "jump", i));
      } else if (subprograms_ == Subprograms::kAccepted) {
        EGPU_TRY(resolve_function(instruction, i));
      }
    }
    return {};
  }

  // Targets that references gave are no slots: they stay as they are.
  Result<void> resolve_function(Instruction& instruction, std::size_t index) const {
    if (auto* const call = std::get_if<CallSubprogram>(&instruction)) {
      EGPU_ASSIGN(call->target, resolve(call->target, "call", index));
    }
    auto* const load = std::get_if<LoadImm64>(&instruction);
    if (load != nullptr && load->kind == Imm64Kind::kFunction) {
      const auto slot = static_cast<std::uint32_t>(load->value);
      EGPU_ASSIGN(load->value, resolve(slot, "function's address", index));
    }
    return {};
  }

  // The instruction at `slot`.
  [[nodiscard]] Result<std::uint32_t> resolve(std::uint32_t slot, std::string_view what,
                                              std::size_t index) const {
    const bool inside = slot != kNoInstruction;
    if (inside && index_of_slot_[slot] != kNoInstruction) return index_of_slot_[slot];
    const bool whole = subprograms_ == Subprograms::kAccepted;
    const std::string_view where = inside  ? "lands in the middle of a 16-byte load"
                                   : whole ? "leaves the program"
                                           : "leaves its function";
    return input_error(fmt::format("the {} {}", what, where)).at(place_(program_.slots[index]));
  }

  Result<void> check_end() const {
    const Instruction& last = program_.instructions.back();
    if (std::holds_alternative<Exit>(last) || std::holds_alternative<Jump>(last)) return {};
    return input_error("the program runs past its last instruction")
        .at(place_(program_.slots.back()))
        .hint("end every path with a return");
  }

  Bytes code_;
  std::span<const Reference> references_;  // of the instructions still to come
  const Reference* reference_ = nullptr;   // of the one at hand, until it is taken
  Subprograms subprograms_;
  const SlotPlace& place_;
  std::uint32_t slot_ = 0;  // the next one to read
  std::uint32_t raw_slot_ = 0;
  RawSlot raw_;  // the slot at raw_slot_
  std::vector<std::uint32_t> index_of_slot_;
  DecodedProgram program_;
};

}  // namespace

Result<DecodedProgram> decode(Bytes code_untrusted, std::span<const Reference> references,
                              const SlotPlace& place) {
  return Decoder(code_untrusted, references, Subprograms::kRefused, place).run();
}

Result<DecodedProgram> decode_raw(Bytes code_untrusted, const SlotPlace& place) {
  return Decoder(code_untrusted, {}, Subprograms::kAccepted, place).run();
}

}  // namespace egpu::bpf
