#include "verifier/state.h"

#include <map>

namespace egpu::verifier {
namespace {

// Compares two states value by value; values tied together in the general one must be tied in the
// special one.
class Comparison {
 public:
  // The same records are still to be submitted or discarded.
  bool covers(const std::vector<Reservation>& general, const std::vector<Reservation>& special) {
    if (general.size() != special.size()) return false;
    for (std::size_t i = 0; i < general.size(); ++i) {
      if (!ties_match(general[i].id, special[i].id)) return false;
    }
    return true;
  }

  bool covers(const Frame& general, const Frame& special) {
    if (general.function != special.function || general.call_site != special.call_site) {
      return false;
    }
    for (std::size_t i = 0; i < kRegisters; ++i) {
      if (!covers(general.registers[i], special.registers[i])) return false;
    }
    const auto& general_slots = general.stack.slots();
    const auto& special_slots = special.stack.slots();
    for (std::size_t i = 0; i < general_slots.size(); ++i) {
      static const Stack::Slot empty;
      const Stack::Slot& slot = i < special_slots.size() ? special_slots[i] : empty;
      if (!covers(general_slots[i], slot)) return false;
    }
    return true;
  }

 private:
  bool covers(const Value& general, const Value& special) {
    if (general.kind == ValueKind::kUninitialised) return true;
    if (general.kind != special.kind || general.target != special.target ||
        general.bytes != special.bytes) {
      return false;
    }
    return general.number.contains(special.number) && ties_match(general.id, special.id) &&
           ties_match(general.low_half, special.low_half);
  }

  bool covers(const Stack::Slot& general, const Stack::Slot& special) {
    if ((general.written & ~special.written) != 0) return false;
    if (general.value.kind == ValueKind::kUninitialised) {
      return general.written == 0 || !special.value.is_pointer();
    }
    return general.value_start == special.value_start &&
           general.value_bytes == special.value_bytes && covers(general.value, special.value);
  }

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
  state.enter(0, 0).registers[bpf::kR1.index] = Value::pointer(ValueKind::kContext);
  return state;
}

Frame& State::enter(std::uint32_t function, std::uint32_t call_site) {
  const auto depth = static_cast<std::uint32_t>(frames.size());
  Frame& frame = frames.emplace_back();
  frame.function = function;
  frame.call_site = call_site;
  frame.registers[bpf::kR10.index] = Value::pointer(ValueKind::kStack, depth);
  return frame;
}

void State::end_reservation(std::uint32_t id) {
  std::erase_if(reservations, [id](const Reservation& made) { return made.id == id; });
}

void State::leave() {
  frames.pop_back();
  const auto dangles = [depth = frames.size()](const Value& value) {
    return value.kind == ValueKind::kStack && value.target >= depth;
  };
  for (Frame& frame : frames) {
    for (Value& value : frame.registers) {
      if (dangles(value)) value = {};
    }
    for (Stack::Slot& slot : frame.stack.slots()) {
      if (dangles(slot.value)) slot = {};  // its bytes are no number either
    }
  }
}

void State::keep_registers(std::uint16_t live) {
  for (std::size_t i = 0; i < kRegisters; ++i) {
    if ((live >> i & 1) == 0) frames.back().registers[i] = {};
  }
}

void State::keep_numbers(const NeededNumbers& needed) {
  Frame& frame = frames.back();
  for (std::size_t i = 0; i < kRegisters; ++i) {
    Value& value = frame.registers[i];
    const bool keep = (needed.registers >> i & 1) != 0;
    if (!keep && value.is_scalar()) value = Value::scalar(Scalar::unknown());
  }
  auto& slots = frame.stack.slots();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool keep = (needed.slots >> i & 1) != 0;
    if (!keep) slots[i].forget_number();
  }
}

void State::forget(std::uint16_t live, const NeededNumbers& needed) {
  keep_registers(live);
  keep_numbers(needed);
  std::map<std::uint32_t, int> holders;
  for (const Reservation& made : reservations) holders[made.id] = 2;  // and stays
  for_each([&](const Value& value) {
    if (value.id != 0) ++holders[value.id];
    if (value.low_half != 0) ++holders[value.low_half];
  });
  if (holders.empty()) return;
  for_each([&](Value& value) {
    if (value.id != 0 && holders[value.id] == 1) value.id = 0;
    if (value.low_half != 0 && holders[value.low_half] == 1) value.low_half = 0;
  });
}

bool covers(const State& general, const State& special) {
  if (general.frames.size() != special.frames.size()) return false;
  Comparison comparison;
  if (!comparison.covers(general.reservations, special.reservations)) return false;
  for (std::size_t i = general.frames.size(); i-- > 0;) {
    if (!comparison.covers(general.frames[i], special.frames[i])) return false;
  }
  return true;
}

}  // namespace egpu::verifier
