#include "verifier/stack.h"

namespace egpu::verifier {
namespace {

constexpr unsigned kSlotBytes = 8;

std::size_t slot_index(int offset) { return static_cast<std::size_t>(-offset - 1) / kSlotBytes; }

// Position of `offset` inside its slot: 0 to 7.
unsigned start_in_slot(int offset) {
  return static_cast<unsigned>(offset + kStackBytes) % kSlotBytes;
}

std::uint8_t byte_mask(unsigned start, unsigned bytes) {
  return static_cast<std::uint8_t>(((1U << bytes) - 1) << start);
}

// The low `bytes` of a spilled number; the whole number keeps its id.
Value narrowed(const Value& value, unsigned bytes) {
  if (!value.is_scalar() || value.number.fits_unsigned(8 * bytes)) return value;
  return Value::scalar(value.number.zero_extended(8 * bytes));
}

}  // namespace

void Stack::Slot::forget_number() {
  if (value.is_pointer()) return;
  value = {};
  value_bytes = 0;
}

const Stack::Slot* Stack::slot_at(int offset) const {
  const std::size_t index = slot_index(offset);
  return index < slots_.size() ? &slots_[index] : nullptr;
}

void Stack::store(int offset, unsigned bytes, const Value& value) {
  const std::size_t index = slot_index(offset);
  if (index >= slots_.size()) slots_.resize(index + 1);
  Slot& slot = slots_[index];
  const unsigned start = start_in_slot(offset);
  const bool pointer_cut = slot.value.is_pointer() && bytes < kSlotBytes;
  if (pointer_cut) slot.written = 0;  // what is left of it is no number
  const bool hits_value =
      (byte_mask(slot.value_start, slot.value_bytes) & byte_mask(start, bytes)) != 0;
  if (bytes >= 4) {
    slot.value = narrowed(value, bytes);
    slot.value_start = static_cast<std::uint8_t>(start);
    slot.value_bytes = static_cast<std::uint8_t>(bytes);
  } else if (hits_value) {
    slot.value = {};
    slot.value_bytes = 0;
  }
  slot.written |= byte_mask(start, bytes);
}

std::optional<Value> Stack::load(int offset, unsigned bytes) const {
  const Slot* const slot = slot_at(offset);
  if (slot == nullptr) return std::nullopt;
  const unsigned start = start_in_slot(offset);
  if (slot->value.is_pointer()) {
    if (bytes == kSlotBytes) return slot->value;
    return std::nullopt;
  }
  if ((byte_mask(start, bytes) & ~slot->written) != 0) return std::nullopt;
  if (start == slot->value_start && bytes <= slot->value_bytes) return narrowed(slot->value, bytes);
  return Value::scalar(Scalar::unknown().zero_extended(8 * bytes));
}

bool Stack::holds_data(int low, int end) const {
  for (int offset = low; offset < end; ++offset) {
    if (!load(offset, 1)) return false;
  }
  return true;
}

bool Stack::holds_pointer(int low, int end) const {
  for (int offset = low; offset < end; ++offset) {
    const Slot* const slot = slot_at(offset);
    if (slot != nullptr && slot->value.is_pointer()) return true;
  }
  return false;
}

void Stack::write_numbers(int low, int end) {
  for (int offset = low; offset < end; ++offset) store(offset, 1, Value::scalar(Scalar::unknown()));
}

void Stack::blur(int low, int end) {
  for (int offset = low; offset < end; ++offset) {
    const std::size_t index = slot_index(offset);
    if (index >= slots_.size()) continue;
    slots_[index].value = {};
    slots_[index].value_bytes = 0;
  }
}

}  // namespace egpu::verifier
