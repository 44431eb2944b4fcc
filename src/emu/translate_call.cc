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
    const auto take_list = [&]() -> const std::vector<ptx::Operand>* {
      if (next == operands_.size()) return &kNothing;
      const auto* const list = std::get_if<ptx::ParameterList>(&operands_[next]);
      if (list == nullptr) return &kNothing;
      ++next;
      return &list->elements;
    };
    results_ = take_list();
    if (next == operands_.size()) return builder_.error("needs the function to call");
    const ptx::Operand& target = operands_[next++];
    parameters_ = take_list();
    if (const auto* symbol = std::get_if<ptx::Symbol>(&target)) {
      if (next != operands_.size()) return builder_.error("takes no prototype");
      return call_by_name(symbol->name);
    }
    // The prototype, or the list of targets, says nothing that the function pointed to does not.
    if (next + 1 != operands_.size() || !std::holds_alternative<ptx::Symbol>(operands_[next]))
      return builder_.error("needs a prototype");
    EGPU_ASSIGN(CallSite site, call_site(nullptr));
    EGPU_ASSIGN(const Slot pointer, builder_.read(target, {TypeKind::kUnsigned, 64}));
    builder_.emit({.handler = call_pointer, .a = pointer, .extra = builder_.keep(std::move(site))});
    return {};
  }

 private:
  static const std::vector<ptx::Operand> kNothing;

  // `function`: the one to call, where that is known.
  Result<CallSite> call_site(const ptx::Function* function) {
    CallSite site;
    for (const ptx::Operand& operand : *results_) {
      EGPU_ASSIGN(ParameterSlot slot, handed_over(operand, true, nullptr));
      site.results.push_back(slot);
    }
    for (std::size_t i = 0; i < parameters_->size(); ++i) {
      const bool declared =
          function != nullptr && function->parameters && i < function->parameters->size();
      EGPU_ASSIGN(
          ParameterSlot slot,
          handed_over((*parameters_)[i], false, declared ? &(*function->parameters)[i] : nullptr));
      site.parameters.push_back(slot);
    }
    return site;
  }

  Result<ParameterSlot> handed_over(const ptx::Operand& operand, bool result,
                                    const ptx::Declaration* declared) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&operand)) {
      const SymbolMeaning meaning = builder_.meaning_of(symbol->name);
      if (const auto* slot = std::get_if<ParameterSlot>(&meaning)) return *slot;
    }
    ValueType type{TypeKind::kBits,
                   static_cast<std::uint8_t>(builder_.width_of(operand).value_or(0))};
    const bool is_number = std::holds_alternative<ptx::Integer>(operand) ||
                           std::holds_alternative<ptx::Float>(operand);
    if (is_number && declared != nullptr) type = parse_type(declared->type()).value_or(ValueType{});
    if (type.total_bits() != 32 && type.total_bits() != 64)
      return builder_.error("hands over .param variables, registers and numbers of 32 or 64 bits");
    EGPU_ASSIGN(const Slot slot,
                result ? builder_.write(operand, type) : builder_.read(operand, type));
    const std::uint32_t bytes = type.total_bits() / 8;
    return ParameterSlot{{}, slot, bytes, bytes};
  }

  Result<void> call_by_name(std::string_view name) {
    const SymbolMeaning meaning = builder_.meaning_of(name);
    const auto* const function = std::get_if<ModuleFunction>(&meaning);
    if (function == nullptr || function->function->entry)
      return builder_.error(fmt::format("{} is no function to call", name));
    const ptx::Function& callee = *function->function;
    EGPU_TRY(check(*parameters_, callee.parameters, "parameter"));
    EGPU_TRY(check(*results_, callee.results, "result"));
    EGPU_ASSIGN(CallSite site, call_site(&callee));
    if (!callee.body) return call_machine(name, std::move(site));
    const auto code = builder_.context().codes.find(&callee);
    if (code == builder_.context().codes.end())
      return builder_.error(fmt::format("function {} cannot be called", name));
    site.callee = code->second;
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
  Result<void> check(const std::vector<ptx::Operand>& given,
                     const std::optional<std::vector<ptx::Declaration>>& declared,
                     std::string_view what) const {
    const std::size_t count = declared ? declared->size() : 0;
    if (given.size() == count) return {};
    return builder_.error(fmt::format("hands over {} {}s, not {}", given.size(), what, count));
  }

  FunctionBuilder& builder_;
  const std::vector<ptx::Operand>& operands_;
  const std::vector<ptx::Operand>* results_ = &kNothing;
  const std::vector<ptx::Operand>* parameters_ = &kNothing;
};

const std::vector<ptx::Operand> CallTranslator::kNothing;

}  // namespace

Result<void> translate_call(FunctionBuilder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("uni");
  EGPU_TRY(builder.finish(modifiers));
  return CallTranslator(builder, instruction).run();
}

}  // namespace egpu::emu
