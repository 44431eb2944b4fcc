#include "emu/function_builder.h"

#include <fmt/format.h>

#include <bit>

#include "emu/immediate.h"
#include "emu/lanes.h"
#include "emu/layout.h"
#include "emu/special_registers.h"
#include "ptx/lexer.h"

namespace egpu::emu {
namespace {

constexpr unsigned kWarpSize = 32;

// Bits of the register that keeps a value of the type.
unsigned kept_bits(ValueType type) { return type.total_bits() == 8 ? 16 : type.total_bits(); }

void negate_predicate(Warp& warp, const Op& op, Mask lanes) {
  Mask& out = predicate_of(warp, op.dst);
  out = (out & ~lanes) | (~predicate_of(warp, op.a) & lanes);
}

void read_changing_register(Warp& warp, const Op& op, Mask lanes) {
  read_special_register(*static_cast<const SpecialRegister*>(op.extra), warp, op.dst,
                        static_cast<unsigned>(op.immediate), lanes);
}

}  // namespace

FunctionBuilder::FunctionBuilder(const KernelContext& context, const ptx::Function& function,
                                 Code& code, const RegisterPlan* plan)
    : context_(context),
      function_(function),
      code_(code),
      slots_(plan == nullptr ? 0 : plan->bytes),
      registers_(slots_, plan == nullptr ? nullptr : &plan->slots) {
  variables_.emplace_back();
}

// --- Names ---

void FunctionBuilder::enter() {
  registers_.enter();
  variables_.emplace_back();
}

void FunctionBuilder::leave() {
  registers_.leave();
  variables_.pop_back();
}

Result<void> FunctionBuilder::declare_parameters() {
  if (function_.entry) {
    for (std::size_t i = 0; i < context_.info.parameters.size(); ++i) {
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it has as many as its information
      const std::string_view name = (*function_.parameters)[i].declarators.front().name;
      variables_.back()[name] = KernelParameter{context_.info.parameters[i].offset};
    }
    return {};
  }
  const auto declare_all = [this](const auto& declarations,
                                  std::vector<ParameterSlot>& slots) -> Result<void> {
    if (!declarations) return {};
    for (const ptx::Declaration& declaration : *declarations) {
      if (declaration.has(".reg")) EGPU_TRY(declare(declaration));
      EGPU_ASSIGN(ParameterSlot slot, parameter_slot(declaration, declaration.declarators.front()));
      if (!declaration.has(".reg")) variables_.back()[slot.name] = slot;
      slots.push_back(slot);
    }
    return {};
  };
  EGPU_TRY(declare_all(function_.results, code_.results));
  return declare_all(function_.parameters, code_.parameters);
}

Result<ParameterSlot> FunctionBuilder::parameter_slot(const ptx::Declaration& declaration,
                                                      const ptx::Declarator& declarator) {
  ParameterSlot slot{.name = declarator.name};
  const auto extent = extent_of(declaration, declarator);
  if (declaration.has(".reg")) {
    const auto found = registers_.find(declarator.name);
    if (!found || found->bits < 32)
      return error(fmt::format("register {} cannot be a parameter", declarator.name));
    uses_.kept.push_back(found->number);
    slot.slot = found->slot;
    slot.bytes = found->bits / 8;
    slot.stride = slot.bytes;
    return slot;
  }
  constexpr std::uint64_t kLargestParameter = 1 << 16;
  if (!extent || extent->bytes > kLargestParameter)
    return input_error(
               fmt::format("parameter {} has a size the executor does not know", declarator.name))
        .at(context_.module.place(declarator.name));
  slot.bytes = static_cast<std::uint32_t>(extent->bytes);
  slot.stride = slot.bytes;
  slot.slot = slots_.take_bytes(std::uint64_t{slot.stride} * kLanes);
  full_ = full_ || slot.slot == kNoSlot;
  return slot;
}

Result<void> FunctionBuilder::declare(const ptx::Declaration& declaration) {
  const ptx::Declarator& first = declaration.declarators.front();
  if (declaration.has(".reg")) {
    if (registers_.declare(declaration)) return {};
    return input_error(fmt::format("the type of register {} is not known", first.name))
        .at(context_.module.place(first.name));
  }
  for (const ptx::Declarator& declarator : declaration.declarators) {
    SymbolMeaning& meaning = variables_.back()[declarator.name];
    if (declaration.has(".shared")) {
      meaning = SymbolAddress{SymbolSpace::kShared, context_.reach.shared.at(&declarator)};
    } else if (declaration.has(".param")) {
      EGPU_ASSIGN(meaning, parameter_slot(declaration, declarator));
    } else if (declaration.has(".local")) {
      const auto extent = extent_of(declaration, declarator);
      constexpr std::uint64_t kMostLocal = std::uint64_t{1} << 24;
      if (!extent || code_.local_bytes + extent->bytes > kMostLocal)
        return input_error(fmt::format("local variable {} is too large, or its size is not known",
                                       declarator.name))
            .at(context_.module.place(declarator.name));
      const std::uint64_t offset = round_up(code_.local_bytes, extent->alignment);
      code_.local_bytes = static_cast<std::uint32_t>(offset + extent->bytes);
      meaning = SymbolAddress{SymbolSpace::kLocal, offset};
    } else {
      return input_error(
                 fmt::format("variables of {} cannot stand in a function", declaration.specifiers))
          .at(context_.module.place(declarator.name));
    }
  }
  return {};
}

SymbolMeaning FunctionBuilder::meaning_of(std::string_view name) const {
  for (auto scope = variables_.rbegin(); scope != variables_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  const auto variable = context_.symbols.variables.find(name);
  if (variable != context_.symbols.variables.end()) {
    const ModuleVariable& known = variable->second;
    if (known.space != SymbolSpace::kShared && known.address == 0) return {};
    if (known.space != SymbolSpace::kShared) return SymbolAddress{known.space, known.address};
    return SymbolAddress{SymbolSpace::kShared, context_.reach.shared.at(known.declarator)};
  }
  const auto function = context_.symbols.functions.find(name);
  if (function != context_.symbols.functions.end()) return function->second;
  return {};
}

// --- Operands ---

Result<void> FunctionBuilder::begin(const ptx::Instruction& instruction) {
  instruction_ = &instruction;
  code_.places.push_back(instruction.opcode.text);
  const auto first_op = static_cast<std::uint32_t>(position());
  const bool guarded = !instruction.guard.name.empty();
  uses_.instructions.push_back({.first_op = first_op, .end_op = first_op, .guarded = guarded});
  guard_ = kNoSlot;
  if (!guarded) return {};
  EGPU_ASSIGN(guard_,
              register_of({instruction.guard.name}, {TypeKind::kPredicate, 1}, false, false));
  return {};
}

void FunctionBuilder::end() {
  uses_.instructions.back().end_op = static_cast<std::uint32_t>(position());
}

Result<Slot> FunctionBuilder::register_of(const ptx::Register& reg, ValueType type, bool wider,
                                          bool write) {
  const auto found = registers_.find(reg.name);
  if (!found) return error(fmt::format("register {} is not declared", reg.name));
  const unsigned bits = type.total_bits();
  const bool fits = found->bits == bits || (wider && found->bits > bits && bits != 1) ||
                    (bits == 8 && found->bits == 16);
  if (!fits)
    return error(
        fmt::format("register {} has {} bits, {} are needed", reg.name, found->bits, bits));
  uses_.instructions.back().registers.push_back({found->number, write});
  return found->slot;
}

Result<Slot> FunctionBuilder::read(const ptx::Operand& operand, ValueType type, bool wider) {
  if (const auto* reg = std::get_if<ptx::Register>(&operand)) {
    if (reg->name == "_") return error("'_' is no value");
    EGPU_ASSIGN(const Slot slot, register_of(*reg, type, wider, false));
    if (!reg->negated) return slot;
    if (type.kind != TypeKind::kPredicate) return error("'!' stands before a predicate alone");
    const Slot negated = scratch(1);
    emit({.handler = negate_predicate, .dst = negated, .a = slot});
    return negated;
  }
  if (const auto* special = std::get_if<ptx::SpecialRegister>(&operand))
    return read_special(special->name, type);
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand))
    return read_symbol(symbol->name, type);
  std::optional<std::uint64_t> value;
  std::string_view text = "operand";
  if (const auto* integer = std::get_if<ptx::Integer>(&operand)) {
    value = bits_of(*integer, type);
    text = integer->text;
  } else if (const auto* number = std::get_if<ptx::Float>(&operand)) {
    value = bits_of(*number, type);
    text = number->text;
  } else if (const auto* raw = std::get_if<ptx::RawOperand>(&operand)) {
    text = raw->text;
    value = address_with_offset(text, type);
  }
  if (!value) return error(fmt::format("{} is no value of {} bits", text, type.total_bits()));
  return constant(*value, kept_bits(type));
}

// variable+8
std::optional<std::uint64_t> FunctionBuilder::address_with_offset(std::string_view text,
                                                                  ValueType type) const {
  ptx::Lexer lexer(text);
  const ptx::Token name = lexer.next();
  const bool plus = lexer.next().is('+');
  const auto offset = ptx::integer_value({lexer.next().text});
  const SymbolMeaning meaning = meaning_of(name.text);
  const auto* const address = std::get_if<SymbolAddress>(&meaning);
  if (!plus || !offset || address == nullptr || address->space == SymbolSpace::kLocal ||
      lexer.next().kind != ptx::TokenKind::kEnd)
    return std::nullopt;
  const std::uint64_t value = address->value + *offset;
  const bool fits = type.total_bits() == 64 || (type.total_bits() == 32 && value >> 32 == 0);
  return fits ? std::optional(value) : std::nullopt;
}

Result<Slot> FunctionBuilder::read_special(std::string_view name, ValueType type) {
  const SpecialRegister* const special = find_special_register(name);
  if (special == nullptr) return error(fmt::format("special register {} is not known", name));
  const unsigned bits = kept_bits(type);
  if (bits > special->bits || (bits == 1) != (special->bits == 1))
    return error(fmt::format("{} has {} bits, {} are needed", name, special->bits, bits));
  if (special->changes) {
    const Slot slot = scratch(bits);
    emit({.handler = read_changing_register, .dst = slot, .immediate = bits, .extra = special});
    return slot;
  }
  Slot& slot = specials_.try_emplace(name, kNoSlot).first->second;
  if (bits == special->bits && slot != kNoSlot) return slot;
  const Slot filled = scratch(bits);
  code_.specials.push_back({filled, bits, special});
  if (bits == special->bits) slot = filled;
  return filled;
}

Slot FunctionBuilder::local_address(std::uint64_t offset) {
  const auto [found, fresh] = locals_.try_emplace(offset, kNoSlot);
  if (fresh) {
    found->second = scratch(64);
    code_.locals.push_back({found->second, offset});
  }
  return found->second;
}

Result<Slot> FunctionBuilder::read_symbol(std::string_view name, ValueType type) {
  const unsigned bits = type.total_bits();
  if (name == "WARP_SZ" && bits >= 16 && bits <= 64) return constant(kWarpSize, bits);
  const SymbolMeaning meaning = meaning_of(name);
  if (bits != 32 && bits != 64) return error(fmt::format("{} is no value of {} bits", name, bits));
  std::uint64_t value = 0;
  if (const auto* address = std::get_if<SymbolAddress>(&meaning)) {
    if (address->space == SymbolSpace::kLocal && bits == 64) return local_address(address->value);
    if (address->space == SymbolSpace::kLocal)
      return error(fmt::format("the address of {} has 64 bits", name));
    value = address->value;
  } else if (const auto* parameter = std::get_if<KernelParameter>(&meaning)) {
    value = parameter->offset;
  } else if (const auto* function = std::get_if<ModuleFunction>(&meaning)) {
    value = address_of(*function);
  } else if (std::holds_alternative<ParameterSlot>(meaning)) {
    return error(fmt::format("the address of parameter {} cannot be taken", name));
  } else {
    return error(fmt::format("{} is not defined in this module", name));
  }
  if (bits == 32 && value >> 32 != 0)
    return error(fmt::format("the address of {} has 64 bits", name));
  return constant(value, bits);
}

Result<Slot> FunctionBuilder::write(const ptx::Operand& operand, ValueType type, bool wider) {
  const auto* const reg = std::get_if<ptx::Register>(&operand);
  if (reg == nullptr || reg->negated) return error("the result must be a register");
  if (reg->name == "_") return scratch(kept_bits(type));
  return register_of(*reg, type, wider, true);
}

std::optional<unsigned> FunctionBuilder::width_of(const ptx::Operand& operand) const {
  const auto* const reg = std::get_if<ptx::Register>(&operand);
  if (reg == nullptr) return std::nullopt;
  const auto found = registers_.find(reg->name);
  if (!found) return std::nullopt;
  return found->bits == 8 ? 16 : found->bits;
}

Result<AddressOperand> FunctionBuilder::address(const ptx::Operand& operand) {
  const auto* const source = std::get_if<ptx::Address>(&operand);
  if (source == nullptr || source->parts.size() != 1)
    return error("needs an address: [base+offset]");
  AddressOperand result;
  std::uint64_t offset = 0;
  if (!source->offset.empty()) {
    const auto value = ptx::integer_value({source->offset, source->minus});
    if (!value) return error(fmt::format("{} is no offset", source->offset));
    offset = *value;
  }
  const ptx::Operand& base = source->parts.front();
  if (const auto* symbol = std::get_if<ptx::Symbol>(&base)) {
    const SymbolMeaning meaning = meaning_of(symbol->name);
    const auto* const address = std::get_if<SymbolAddress>(&meaning);
    if (address == nullptr) return error(fmt::format("{} is no variable", symbol->name));
    if (address->space == SymbolSpace::kLocal) {
      result.base = local_address(address->value);
    } else {
      offset += address->value;
    }
    result.offset = static_cast<std::int64_t>(offset);
    return result;
  }
  if (const auto* integer = std::get_if<ptx::Integer>(&base)) {
    const auto value = ptx::integer_value(*integer);
    if (!value) return error(fmt::format("{} is no address", integer->text));
    result.offset = static_cast<std::int64_t>(offset + *value);
    return result;
  }
  result.offset = static_cast<std::int64_t>(offset);
  const auto width = width_of(base);
  if (width != 32U && width != 64U) return error("an address has 32 or 64 bits");
  result.wide = width == 64U;
  EGPU_ASSIGN(result.base, read(base, {TypeKind::kBits, static_cast<std::uint8_t>(*width)}));
  return result;
}

// --- Code ---

Slot FunctionBuilder::scratch(unsigned bits) {
  const Slot slot = slots_.take(bits);
  full_ = full_ || slot == kNoSlot;
  return slot;
}

Slot FunctionBuilder::constant(std::uint64_t value, unsigned bits) {
  if (bits == 8) bits = 16;
  const auto width = static_cast<unsigned>(std::countr_zero(bits == 1 ? 8 : bits)) - 3;  // 0 to 3
  const auto [found, fresh] = constants_[width].try_emplace(value, kNoSlot);
  if (fresh) {
    found->second = scratch(bits);
    code_.constants.push_back({found->second, bits, value});
  }
  return found->second;
}

void FunctionBuilder::emit(Op op) {
  op.guard = guard_;
  op.guard_negated = guard_ != kNoSlot && instruction_->guard.negated;
  emit_always(op);
}

void FunctionBuilder::emit_always(Op op) {
  op.place = code_.places.empty() ? 0 : static_cast<std::uint32_t>(code_.places.size() - 1);
  code_.ops.push_back(op);
}

Error FunctionBuilder::error(std::string message) const {
  if (instruction_ == nullptr)
    return input_error(fmt::format("function {}: {}", function_.name, message))
        .at(context_.module.place(function_.name));
  return input_error(fmt::format("instruction '{}': {}", instruction_->opcode.text, message))
      .at(context_.module.place(instruction_->opcode.text));
}

Result<void> FunctionBuilder::finish_code() {
  if (full_)
    return input_error(fmt::format("function {} needs too many registers", function_.name))
        .at(context_.module.place(function_.name));
  code_.register_bytes = slots_.size();
  uses_.bits = registers_.bits();
  return {};
}

}  // namespace egpu::emu
