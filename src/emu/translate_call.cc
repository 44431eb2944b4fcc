#include "emu/translate_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "emu/builtins.h"
#include "emu/calls.h"

namespace egpu::emu {
namespace {

class CallTranslator {
 public:
  CallTranslator(FunctionBuilder& builder, const ptx::Instruction& instruction)
      : builder_(builder), operands_(instruction.operands) {}

  Result<void> run() {
    std::size_t next = 0;
    CallSite site;
    if (next < operands_.size())
      if (const auto* results = std::get_if<ptx::ParameterList>(&operands_[next])) {
        EGPU_ASSIGN(site.results, handed_over(*results, true));
        ++next;
      }
    if (next == operands_.size()) return builder_.error("needs the function to call");
    const ptx::Operand& target = operands_[next++];
    if (next < operands_.size())
      if (const auto* parameters = std::get_if<ptx::ParameterList>(&operands_[next])) {
        EGPU_ASSIGN(site.parameters, handed_over(*parameters, false));
        ++next;
      }
    if (const auto* symbol = std::get_if<ptx::Symbol>(&target)) {
      if (next != operands_.size()) return builder_.error("takes no prototype");
      return call_by_name(symbol->name, std::move(site));
    }
    // The prototype, or the list of targets, says nothing that the function pointed to does not.
    if (next + 1 != operands_.size() || !std::holds_alternative<ptx::Symbol>(operands_[next]))
      return builder_.error("needs a prototype");
    EGPU_ASSIGN(const Slot pointer, builder_.read(target, {TypeKind::kUnsigned, 64}));
    builder_.emit({.handler = call_pointer, .a = pointer, .extra = builder_.keep(std::move(site))});
    return {};
  }

 private:
  Result<std::vector<ParameterSlot>> handed_over(const ptx::ParameterList& list, bool results) {
    std::vector<ParameterSlot> slots;
    for (const ptx::Operand& operand : list.elements) {
      EGPU_ASSIGN(ParameterSlot slot, handed_over(operand, results));
      slots.push_back(slot);
    }
    return slots;
  }

  Result<ParameterSlot> handed_over(const ptx::Operand& operand, bool result) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand)) {
      const SymbolMeaning meaning = builder_.meaning_of(symbol->name);
      if (const auto* slot = std::get_if<ParameterSlot>(&meaning)) return *slot;
    }
    const auto* const reg = std::get_if<ptx::Register>(&operand);
    const auto bits = builder_.width_of(operand);
    if (!bits) {
      return builder_.error(reg != nullptr ? fmt::format("register {} is not declared", reg->name)
                                           : "hands over registers and .param variables alone");
    }
    const ValueType type{*bits == 1 ? TypeKind::kPredicate : TypeKind::kBits,
                         static_cast<std::uint8_t>(*bits)};
    EGPU_ASSIGN(const Slot slot,
                result ? builder_.write(operand, type) : builder_.read(operand, type));
    const std::uint32_t bytes = std::max(*bits, 16U) / 8;
    return ParameterSlot{reg->name, slot, bytes, bytes, *bits == 1};
  }

  Result<void> call_by_name(std::string_view name, CallSite site) {
    const SymbolMeaning meaning = builder_.meaning_of(name);
    const auto* const function = std::get_if<ModuleFunction>(&meaning);
    if (function == nullptr) return builder_.error(fmt::format("{} is no function", name));
    if (!function->function->body) return call_machine(name, std::move(site));
    const auto code = builder_.context().codes.find(function->function);
    if (code == builder_.context().codes.end())
      return builder_.error(fmt::format("function {} cannot be called", name));
    site.callee = code->second;
    EGPU_TRY(check(site.parameters, function->function->parameters, "parameter"));
    EGPU_TRY(check(site.results, function->function->results, "result"));
    builder_.emit({.handler = call, .extra = builder_.keep(std::move(site))});
    return {};
  }

  Result<void> call_machine(std::string_view name, CallSite site) {
    const Builtin* const builtin = find_builtin(name);
    if (builtin == nullptr)
      return builder_.error(fmt::format("function {} has no body in the module", name));
    const std::vector<unsigned> results(builtin->result != 0 ? 1 : 0, builtin->result);
    if (!std::ranges::equal(site.parameters, builtin->parameters, {}, &ParameterSlot::bytes) ||
        !std::ranges::equal(site.results, results, {}, &ParameterSlot::bytes))
      return builder_.error(fmt::format("function {} has other parameters or results", name));
    builder_.emit({.handler = builtin->handler, .extra = builder_.keep(std::move(site))});
    return {};
  }

  // Sizes are compared again when the call is made, for the callee may not be translated yet.
  Result<void> check(const std::vector<ParameterSlot>& given,
                     const std::optional<std::vector<ptx::Declaration>>& declared,
                     std::string_view what) const {
    const std::size_t count = declared ? declared->size() : 0;
    if (given.size() == count) return {};
    return builder_.error(fmt::format("hands over {} {}s, not {}", given.size(), what, count));
  }

  FunctionBuilder& builder_;
  const std::vector<ptx::Operand>& operands_;
};

}  // namespace

Result<void> translate_call(FunctionBuilder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("uni");
  EGPU_TRY(builder.finish(modifiers));
  return CallTranslator(builder, instruction).run();
}

}  // namespace egpu::emu
