// Handlers of ld and st: between memory and the registers of a warp.
#pragma once

#include <array>
#include <cstdint>

#include "emu/access.h"

namespace egpu::emu {

// One element in memory and in the register it goes to or comes from.
struct ElementShape {
  unsigned memory_bits = 32;    // 8 to 128
  unsigned register_bits = 32;  // 16 to 128, not less than memory_bits
  bool is_signed = false;       // how a load fills a wider register
};

// For one element whose change others may see in parts: Op::dst receives it or Op::b gives
// it; Op::a and Op::immediate are its address, in lanes of 64 bits where `wide`. Null for a shape
// that does not exist.
Handler load_handler(Space space, bool wide, ElementShape shape);
Handler store_handler(Space space, bool wide, ElementShape shape);

// Op::extra of all other accesses, which go through a buffer with the lanes' elements as they lie
// in memory.
struct VectorAccess {
  using Copy = void (*)(const Access& access, Mask lanes, std::byte* buffer);
  using Exchange = void (*)(Warp& warp, const VectorAccess& access, Mask lanes, std::byte* buffer);

  unsigned bytes = 0;  // of a lane's elements together
  Resolver resolve = nullptr;
  Copy copy = nullptr;              // between memory and buffer
  Exchange exchange = nullptr;      // between buffer and registers
  std::array<Slot, 8> registers{};  // kNoSlot: nobody wants the element
};

enum class Direction : std::uint8_t { kLoad, kStore };

// For `count` (1, 2, 4, 8) elements, 32 bytes at most; `strong`: others see each change at once.
// Its registers are the caller's to set; copy is null where the shape does not exist.
VectorAccess vector_access(Direction direction, Space space, bool wide, ElementShape shape,
                           unsigned count, bool strong);
void load_vector(Warp& warp, const Op& op, Mask lanes);
void store_vector(Warp& warp, const Op& op, Mask lanes);

}  // namespace egpu::emu
