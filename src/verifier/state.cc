#include "verifier/state.h"

#include <algorithm>
#include <map>

namespace egpu::verifier {
namespace {

// Compares two states value by value; values tied together in the general one must be tied in the
// special one.
class Comparison {
 public:
  bool covers(const Value& general, const Value& special) {
    if (general.kind == ValueKind::kUninitialised) return true;
    if (general.kind != special.kind || general.map != special.map) return false;
    return general.number.contains(special.number) && ties_match(general.id, special.id);
  }

  bool covers(const Stack::Slot& general, const Stack::Slot& special) {
    if ((general.written & ~special.written) != 0) return false;
    if (general.value.kind == ValueKind::kUninitialised) {
      return general.written == 0 || !special.value.is_pointer();
    }
    return general.value_start == special.value_start &&
           general.value_bytes == special.value_bytes && covers(general.value, special.value);
  }

 private:
  bool ties_match(std::uint32_t general, std::uint32_t special) {
    if (general == 0) return true;
    if (special == 0) return false;
    return ties_.try_emplace(general, special).first->second == special;
  }

  std::map<std::uint32_t, std::uint32_t> ties_;
};

}  // namespace

State State::initial() {
  State state;
  state[bpf::kR1] = Value::pointer(ValueKind::kContext);
  state[bpf::kR10] = Value::pointer(ValueKind::kStack);
  return state;
}

void State::forget(std::uint16_t live) {
  for (std::size_t i = 0; i < kRegisters; ++i) {
    if ((live >> i & 1) == 0) registers[i] = {};
  }
  std::map<std::uint32_t, int> holders;
  const auto count = [&](const Value& value) { ++holders[value.id]; };
  std::ranges::for_each(registers, count);
  std::ranges::for_each(stack.slots(), count, &Stack::Slot::value);
  const auto untie = [&](Value& value) {
    if (holders[value.id] == 1) value.id = 0;
  };
  std::ranges::for_each(registers, untie);
  std::ranges::for_each(stack.slots(), untie, &Stack::Slot::value);
}

bool covers(const State& general, const State& special) {
  Comparison comparison;
  for (std::size_t i = 0; i < kRegisters; ++i) {
    if (!comparison.covers(general.registers[i], special.registers[i])) return false;
  }
  const auto& general_slots = general.stack.slots();
  const auto& special_slots = special.stack.slots();
  for (std::size_t i = 0; i < general_slots.size(); ++i) {
    const Stack::Slot empty;
    const Stack::Slot& slot = i < special_slots.size() ? special_slots[i] : empty;
    if (!comparison.covers(general_slots[i], slot)) return false;
  }
  return true;
}

}  // namespace egpu::verifier
