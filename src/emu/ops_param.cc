#include "emu/ops_param.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emu/lanes.h"

namespace egpu::emu {
namespace {

// --- A kernel's parameters ---

template <class Stored, class Kept>
void load_launch_parameter(Warp& warp, const Op& op, Mask lanes) {
  Stored value;
  std::memcpy(&value, warp.block->launch->parameters.data() + op.immediate, sizeof value);
  set_lanes<Kept>(warp, op.dst, lanes, [value](unsigned) { return static_cast<Kept>(value); });
}

// Of signed types, the sign fills the register.
template <class Kept, class Stored>
Kept widen(Stored value) {
  return static_cast<Kept>(value);  // NOLINT(bugprone-signed-char-misuse)
}

// At an address that a register holds.
template <class Stored, class Kept>
void load_launch_parameter_at(Warp& warp, const Op& op, Mask lanes) {
  const std::vector<std::byte>& parameters = warp.block->launch->parameters;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address =
        lanes_of<std::uint64_t>(warp, op.a)[lane] + static_cast<std::uint64_t>(op.immediate);
    if (address > parameters.size() || parameters.size() - address < sizeof(Stored))
      return warp.fault(FaultKind::kIllegalAddress, lane,
                        fmt::format("parameter address {:#x}, {} bytes", address, sizeof(Stored)));
    Stored value;
    std::memcpy(&value, parameters.data() + address, sizeof value);
    lanes_of<Kept>(warp, op.dst)[lane] = widen<Kept>(value);
  });
}

// --- Parameters in frames: `b` bytes for each lane ---

template <class Stored, class Kept>
void load_parameter(Warp& warp, const Op& op, Mask lanes) {
  const std::byte* from = warp.registers + op.a + op.immediate;
  if constexpr (sizeof(Stored) == sizeof(Kept))
    if (op.b == sizeof(Stored)) {
      const auto* const values = reinterpret_cast<const Kept*>(from);
      return set_lanes<Kept>(warp, op.dst, lanes, [values](unsigned i) { return values[i]; });
    }
  Kept* const out = lanes_of<Kept>(warp, op.dst);
  for_each_lane(lanes, [&](unsigned lane) {
    Stored value;
    std::memcpy(&value, from + std::size_t{lane} * op.b, sizeof value);
    out[lane] = widen<Kept>(value);
  });
}

template <class Stored, class Kept>
void store_parameter(Warp& warp, const Op& op, Mask lanes) {
  std::byte* const to = warp.registers + op.dst + op.immediate;
  const Kept* const in = lanes_of<Kept>(warp, op.a);
  if constexpr (sizeof(Stored) == sizeof(Kept))
    if (op.b == sizeof(Stored))
      return set_lanes<Kept>(warp, op.dst, lanes, [in](unsigned i) { return in[i]; });
  for_each_lane(lanes, [&](unsigned lane) {
    const auto value = static_cast<Stored>(in[lane]);
    std::memcpy(to + std::size_t{lane} * op.b, &value, sizeof value);
  });
}

// --- Translation ---

struct Handlers {
  Handler load_launch = nullptr;
  Handler load_launch_at = nullptr;
  Handler load = nullptr;
  Handler store = nullptr;
};

template <class Stored, class Kept>
constexpr Handlers kHandlers{load_launch_parameter<Stored, Kept>,
                             load_launch_parameter_at<Stored, Kept>, load_parameter<Stored, Kept>,
                             store_parameter<Stored, Kept>};

template <class Stored>
Handlers handlers_for(unsigned kept_bits) {
  if (kept_bits == 16 && sizeof(Stored) <= 2) return kHandlers<Stored, std::uint16_t>;
  if (kept_bits == 32 && sizeof(Stored) <= 4) return kHandlers<Stored, std::uint32_t>;
  if (kept_bits == 64) return kHandlers<Stored, std::uint64_t>;
  return {};
}

Handlers handlers_for(ValueType type, unsigned kept_bits) {
  const bool is_signed = type.kind == TypeKind::kSigned;
  switch (type.total_bits()) {
    case 8:
      return is_signed ? handlers_for<std::int8_t>(kept_bits)
                       : handlers_for<std::uint8_t>(kept_bits);
    case 16:
      return is_signed ? handlers_for<std::int16_t>(kept_bits)
                       : handlers_for<std::uint16_t>(kept_bits);
    case 32:
      return is_signed ? handlers_for<std::int32_t>(kept_bits)
                       : handlers_for<std::uint32_t>(kept_bits);
    case 64:
      return handlers_for<std::uint64_t>(kept_bits);
    default:
      return {};
  }
}

class Access {
 public:
  Access(FunctionBuilder& builder, const ptx::Instruction& instruction)
      : builder_(builder),
        instruction_(instruction),
        is_load_(instruction.opcode.base() == "ld"),
        address_(instruction.operands[is_load_ ? 1 : 0]),
        value_(instruction.operands[is_load_ ? 0 : 1]) {}

  Result<void> translate() {
    Modifiers modifiers(instruction_.opcode);
    modifiers.take_one_of({"param", "param::entry", "param::func"});
    const std::string_view vector = modifiers.take_one_of({"v2", "v4"});
    const auto type = modifiers.take_type();
    if (!type || type->kind == TypeKind::kPredicate) return builder_.error("needs a type");
    type_ = *type;
    EGPU_TRY(builder_.finish(modifiers));
    EGPU_TRY(find_place());
    if (vector.empty()) return access(value_, 0);
    const auto* const elements = std::get_if<ptx::Vector>(&value_);
    if (elements == nullptr || elements->elements.size() != (vector == "v2" ? 2U : 4U))
      return builder_.error(fmt::format("needs {} registers in braces", vector.substr(1)));
    for (std::size_t i = 0; i < elements->elements.size(); ++i)
      EGPU_TRY(access(elements->elements[i], i * type_.total_bits() / 8));
    return {};
  }

 private:
  // Finds out what the address names, and checks what is known of it.
  Result<void> find_place() {
    const auto* const address = std::get_if<ptx::Address>(&address_);
    if (address == nullptr || address->parts.size() != 1)
      return builder_.error("needs an address: [parameter+offset]");
    if (!address->offset.empty()) {
      const auto offset = ptx::integer_value({address->offset, address->minus});
      if (!offset) return builder_.error(fmt::format("{} is no offset", address->offset));
      offset_ = *offset;
    }
    const auto* const symbol = std::get_if<ptx::Symbol>(&address->parts.front());
    if (symbol == nullptr) return find_base(address->parts.front());
    const SymbolMeaning meaning = builder_.meaning_of(symbol->name);
    if (const auto* kernel = std::get_if<KernelParameter>(&meaning); kernel && is_load_) {
      offset_ += kernel->offset;
      size_ = builder_.context().info.parameter_bytes;
    } else if (const auto* slot = std::get_if<ParameterSlot>(&meaning)) {
      in_frame_ = slot->slot;
      stride_ = slot->stride;
      size_ = slot->bytes;
    } else {
      return builder_.error(fmt::format("{} is no parameter it can access", symbol->name));
    }
    return {};
  }

  // A register as base. It is copied, for the access may overwrite it before it is through.
  Result<void> find_base(const ptx::Operand& base) {
    if (!is_load_) return builder_.error("needs the name of a parameter");
    EGPU_ASSIGN(const Slot slot, builder_.read(base, {TypeKind::kBits, 64}));
    base_ = slot;
    if (std::holds_alternative<ptx::Vector>(value_)) {
      base_ = builder_.scratch(64);
      builder_.emit({.handler = copy_address, .dst = base_, .a = slot});
    }
    return {};
  }

  static void copy_address(Warp& warp, const Op& op, Mask lanes) {
    const auto* const in = lanes_of<std::uint64_t>(warp, op.a);
    set_lanes<std::uint64_t>(warp, op.dst, lanes, [in](unsigned i) { return in[i]; });
  }

  Result<void> access(const ptx::Operand& value, std::uint64_t further) {
    const std::uint64_t offset = offset_ + further;
    const std::uint64_t bytes = type_.total_bits() / 8;
    if (base_ == kNoSlot && (offset > size_ || size_ - offset < bytes))
      return builder_.error("accesses bytes outside of the parameter");
    EGPU_ASSIGN(const Slot slot,
                is_load_ ? builder_.write(value, type_, true) : builder_.read(value, type_, true));
    const unsigned least = std::max(type_.total_bits(), 16U);
    const Handlers handlers =
        handlers_for(type_, std::max(builder_.width_of(value).value_or(least), least));
    if (handlers.load == nullptr) return builder_.error("the type is not known here");
    Op op{.dst = slot, .a = base_, .immediate = static_cast<std::int64_t>(offset)};
    if (in_frame_ == kNoSlot) {
      op.handler = base_ == kNoSlot ? handlers.load_launch : handlers.load_launch_at;
    } else if (is_load_) {
      op.handler = handlers.load;
      op.a = in_frame_;
      op.b = stride_;
    } else {
      op.handler = handlers.store;
      op.dst = in_frame_;
      op.a = slot;
      op.b = stride_;
    }
    builder_.emit(op);
    return {};
  }

  FunctionBuilder& builder_;
  const ptx::Instruction& instruction_;
  bool is_load_;
  const ptx::Operand& address_;
  const ptx::Operand& value_;
  ValueType type_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  Slot base_ = kNoSlot;      // of an address in the launch's parameters
  Slot in_frame_ = kNoSlot;  // of a parameter of a device function
  std::uint32_t stride_ = 0;
};

}  // namespace

bool is_parameter_access(const ptx::Opcode& opcode) {
  if (opcode.base() != "ld" && opcode.base() != "st") return false;
  return opcode.has("param") || opcode.has("param::entry") || opcode.has("param::func");
}

Result<void> translate_parameter_access(FunctionBuilder& builder,
                                        const ptx::Instruction& instruction) {
  EGPU_TRY(builder.operands(instruction, 2, 2));
  return Access(builder, instruction).translate();
}

}  // namespace egpu::emu
