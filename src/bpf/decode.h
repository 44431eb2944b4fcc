// 8-byte instruction slots -> Instruction values, all of RFC 9669 that bpf/instruction.h can
// express.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/instruction.h"

namespace egpu::bpf {

inline constexpr std::size_t kSlotBytes = 8;
inline constexpr std::size_t kMaxProgramSlots = 65'536;

// A 16-byte immediate load whose constant is a map: what a relocation says.
struct MapReference {
  std::uint32_t slot = 0;  // from the start of the program
  std::uint32_t map = 0;   // index in Object::maps
  bool operator==(const MapReference&) const = default;
};

struct DecodedProgram {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> slots;  // per instruction, from the start of the program
};

// Names a slot in an error: "program count, slot 7 (count.bpf.c:12)".
using SlotPlace = std::function<std::string(std::uint32_t slot)>;

// Decodes one whole program. `maps` is sorted by slot. What is accepted has valid registers and
// reserved fields, jumps that land on instructions, and no way to run past its end; anything else
// is refused by opcode and place.
Result<DecodedProgram> decode(Bytes code_untrusted, std::span<const MapReference> maps,
                              const SlotPlace& place);

// The same for code that comes without an object: it has no maps, but subprograms, entered by
// calls.
Result<DecodedProgram> decode_raw(Bytes code_untrusted, const SlotPlace& place);

}  // namespace egpu::bpf
