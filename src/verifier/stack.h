// The 512 bytes below r10 of one frame. Each 8-byte slot remembers which of its bytes were written
// and, where one store of 4 or 8 bytes wrote them, the value it holds. Ranges are inside the stack:
// the caller checks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/value.h"

namespace egpu::verifier {

inline constexpr int kStackBytes = 512;

// Offsets are from r10: -512 to -1.
class Stack {
 public:
  struct Slot {
    Value value;  // the last whole store, or kUninitialised
    std::uint8_t value_start = 0;
    std::uint8_t value_bytes = 0;
    std::uint8_t written = 0;  // bit i: byte i may be read

    bool operator==(const Slot&) const = default;

    // Its bytes stay written; what they hold may be any number.
    void forget_number();
  };

  // load() and store() are naturally aligned.
  void store(int offset, unsigned bytes, const Value& value);

  // The value read, or nothing where it is not initialised or part of a pointer.
  [[nodiscard]] std::optional<Value> load(int offset, unsigned bytes) const;

  // Whether all bytes of [low, end) are numbers that were written.
  [[nodiscard]] bool holds_data(int low, int end) const;
  [[nodiscard]] bool holds_pointer(int low, int end) const;

  // Each byte of [low, end) was written with a number, whatever it held.
  void write_numbers(int low, int end);
  // Some bytes of [low, end), which holds no pointer, may have been written with numbers.
  void blur(int low, int end);

  // Slots from r10 downwards, as deep as was stored.
  [[nodiscard]] std::vector<Slot>& slots() { return slots_; }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

 private:
  [[nodiscard]] const Slot* slot_at(int offset) const;

  std::vector<Slot> slots_;
};

}  // namespace egpu::verifier
