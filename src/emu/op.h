// What the executor runs: a function as a flat array of Ops, each with the C++ function that
// carries it out for all active lanes of a warp at once.
//
// Registers live in the register file of a frame (emu/warp.h). A slot is the byte offset of one
// register in it: 32 lanes side by side in the register's own width, so that most operations are
// loops the compiler turns into vector instructions.
//   predicate  4 bytes: a Mask
//   16 bits    64 bytes    (8-bit values are kept in 16-bit registers or wider, as PTX does)
//   32 bits    128 bytes
//   64 bits    256 bytes
//   128 bits   512 bytes
// Slots are aligned to 64 bytes, those of predicates to 4. Immediate operands, addresses of
// variables and special registers that do not change are slots too: filled when the frame is made.
#pragma once

#include <cstddef>
#include <cstdint>

namespace egpu::emu {

inline constexpr unsigned kLanes = 32;

using Mask = std::uint32_t;  // bit i: lane i
inline constexpr Mask kAllLanes = ~Mask{0};

using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

struct Warp;
struct Op;

// `lanes` is not empty: those that are active and whose guard holds. Writes results for these lanes
// alone. What goes wrong is told to the warp (Warp::fault).
using Handler = void (*)(Warp& warp, const Op& op, Mask lanes);

struct Op {
  Handler handler = nullptr;
  Slot dst = kNoSlot;
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  Slot c = kNoSlot;
  Slot guard = kNoSlot;  // of a predicate; kNoSlot: always executed
  bool guard_negated = false;
  std::uint32_t place = 0;      // index of its source text in the function's places
  std::int64_t immediate = 0;   // offset of an address, position of a branch's target, ...
  const void* extra = nullptr;  // what rare operations need besides; owned by the function
};

}  // namespace egpu::emu
