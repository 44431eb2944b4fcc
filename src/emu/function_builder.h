// The Builder that the function translator uses: names of one function, and its code so far.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "emu/builder.h"
#include "emu/code.h"
#include "emu/module.h"
#include "emu/reach.h"
#include "emu/register_names.h"
#include "emu/register_plan.h"
#include "emu/symbols.h"

namespace egpu::emu {

// What is the same for all functions of a kernel.
struct KernelContext {
  const ptx::Module& module;
  const Symbols& symbols;
  const Reach& reach;
  const KernelInfo& info;
  const std::unordered_map<const ptx::Function*, const Code*>& codes;  // of all it reaches
};

// Parameters of a kernel have an offset in the launch's parameters.
struct KernelParameter {
  std::uint64_t offset = 0;
};
// An address: of the space alone, not generic. That of a .local variable is kept in a slot.
struct SymbolAddress {
  SymbolSpace space = SymbolSpace::kGlobal;
  std::uint64_t value = 0;
};
using SymbolMeaning =
    std::variant<std::monostate, SymbolAddress, KernelParameter, ParameterSlot, ModuleFunction>;

class FunctionBuilder final : public Builder {
 public:
  // `plan`: null, or which registers share a slot, as translation without a plan found out.
  FunctionBuilder(const KernelContext& context, const ptx::Function& function, Code& code,
                  const RegisterPlan* plan);

  Result<Slot> read(const ptx::Operand& operand, ValueType type, bool wider = false) override;
  Result<Slot> write(const ptx::Operand& operand, ValueType type, bool wider = false) override;
  std::optional<unsigned> width_of(const ptx::Operand& operand) const override;
  Result<AddressOperand> address(const ptx::Operand& operand) override;
  Slot scratch(unsigned bits) override;
  Slot constant(std::uint64_t value, unsigned bits) override;
  void emit(Op op) override;
  Error error(std::string message) const override;

  // Names of the function itself.
  Result<void> declare_parameters();

  void enter();
  void leave();
  Result<void> declare(const ptx::Declaration& declaration);

  // Reads the guard; what is emitted and refused from now on belongs to the instruction.
  Result<void> begin(const ptx::Instruction& instruction);
  void end();

  SymbolMeaning meaning_of(std::string_view name) const;
  const KernelContext& context() const { return context_; }
  // Adds an Op without a guard.
  void emit_always(Op op);
  // As keep(), for what is completed later.
  template <class T>
  T* keep_open(T object) {
    auto kept = std::make_shared<T>(std::move(object));
    keep_alive(kept);
    return kept.get();
  }
  std::size_t position() const { return code_.ops.size(); }
  Code& code() { return code_; }

  // Fails where the register file is larger than it may be; completes the code.
  Result<void> finish_code();
  const RegisterUses& uses() const { return uses_; }

 protected:
  void keep_alive(std::shared_ptr<const void> object) override {
    code_.kept.push_back(std::move(object));
  }

 private:
  using Variables = std::unordered_map<std::string_view, SymbolMeaning>;

  Result<Slot> register_of(const ptx::Register& reg, ValueType type, bool wider, bool write);
  std::optional<std::uint64_t> address_with_offset(std::string_view text, ValueType type) const;
  Result<Slot> read_special(std::string_view name, ValueType type);
  Result<Slot> read_symbol(std::string_view name, ValueType type);
  Slot local_address(std::uint64_t offset);
  Result<ParameterSlot> parameter_slot(const ptx::Declaration& declaration,
                                       const ptx::Declarator& declarator);

  const KernelContext& context_;
  const ptx::Function& function_;
  Code& code_;
  SlotAllocator slots_;
  mutable RegisterNames registers_;  // registers get slots when they are asked for
  RegisterUses uses_;
  std::vector<Variables> variables_;
  std::unordered_map<std::uint64_t, Slot> constants_[4];  // by value, for each width
  std::unordered_map<std::string_view, Slot> specials_;
  std::unordered_map<std::uint64_t, Slot> locals_;
  const ptx::Instruction* instruction_ = nullptr;
  Slot guard_ = kNoSlot;
  bool full_ = false;  // the register file
};

}  // namespace egpu::emu
