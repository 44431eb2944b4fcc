// Translation of one function, as seen by the translators of single instructions.
//
// emu/select.h names the translator of each opcode. A translator reads the instruction's modifiers
// to the last (Modifiers::finish refuses what is left over), turns operands into slots and emits
// Ops. It never guesses: what it does not know is an Error that names instruction and line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emu/op.h"
#include "emu/value_type.h"
#include "ptx/ast.h"

namespace egpu::emu {

// The parts of an opcode behind its name, in order, taken one by one.
class Modifiers {
 public:
  explicit Modifiers(const ptx::Opcode& opcode) : rest_(opcode.modifiers()) {}

  // Takes the modifier, wherever it stands; false where there is none.
  bool take(std::string_view modifier);
  // Takes the first of `choices` that is there; empty where none is.
  std::string_view take_one_of(std::initializer_list<std::string_view> choices);
  // Takes the first modifier that is a type.
  std::optional<ValueType> take_type();
  // What nobody took; empty where all was.
  std::string_view left() const { return rest_.empty() ? std::string_view() : rest_.front(); }

 private:
  std::vector<std::string_view> rest_;
};

// A memory operand: [base + offset].
struct AddressOperand {
  Slot base = kNoSlot;  // 64-bit lanes, or 32-bit ones where wide is false; kNoSlot: offset alone
  bool wide = true;
  std::int64_t offset = 0;
};

class Builder {
 public:
  virtual ~Builder() = default;

  // A slot that holds the operand as `type`: a register of that width, an immediate, a special
  // register, the address of a symbol, WARP_SZ. Floats from any literal form, integers truncated to
  // the width. A negated predicate (!%p) becomes a slot of its own. Refuses registers of another
  // width, unless `wider` allows those that are wider (ld, st, cvt); their slot keeps its own
  // width: ask width_of().
  virtual Result<Slot> read(const ptx::Operand& operand, ValueType type, bool wider = false) = 0;
  // The slot to write a result to: a register, or for `_` one that nobody reads.
  virtual Result<Slot> write(const ptx::Operand& operand, ValueType type, bool wider = false) = 0;
  // Bits of a register operand (1: predicate; 16 where it was declared with 8); nothing for what
  // is no register.
  virtual std::optional<unsigned> width_of(const ptx::Operand& operand) const = 0;
  virtual Result<AddressOperand> address(const ptx::Operand& operand) = 0;

  virtual Slot scratch(unsigned bits) = 0;                        // 1, 16, 32, 64 or 128
  virtual Slot constant(std::uint64_t value, unsigned bits) = 0;  // the same in all lanes

  // The function's carry flag (CC.CF of add.cc and the like), a predicate.
  Slot carry() {
    if (carry_ == kNoSlot) carry_ = scratch(1);
    return carry_;
  }

  // Adds an Op; guard and place are set from the instruction that is being translated.
  virtual void emit(Op op) = 0;
  // Keeps an object as long as the code, for Op::extra.
  template <class T>
  const T* keep(T object) {
    auto kept = std::make_shared<const T>(std::move(object));
    keep_alive(kept);
    return kept.get();
  }

  // "instruction 'add.foo.s32': MESSAGE", placed at the instruction.
  virtual Error error(std::string message) const = 0;
  // Refuses modifiers that nobody took and operand counts outside the range.
  Result<void> finish(const Modifiers& modifiers) const;
  Result<void> operands(const ptx::Instruction& instruction, std::size_t least,
                        std::size_t most) const;

 protected:
  virtual void keep_alive(std::shared_ptr<const void> object) = 0;

 private:
  Slot carry_ = kNoSlot;
};

}  // namespace egpu::emu
