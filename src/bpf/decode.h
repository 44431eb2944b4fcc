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

// What an instruction refers to outside its own function: what a relocation says. Whoever makes a
// reference has read the instruction's immediate; decode() ignores it.
enum class ReferenceKind : std::uint8_t {
  kMap,       // a 16-byte load of a map; index: in Object::maps
  kMapData,   // a 16-byte load of an address in the value of map `index`; value: the byte
  kReadOnly,  // the same in Object::read_only[index]
  kFunction,  // a 16-byte load of a function's address, or a call; index: what becomes its target
  kExtern,    // a call; index: in Object::externs
};
struct Reference {
  std::uint32_t slot = 0;  // from the start of the code
  ReferenceKind kind = ReferenceKind::kMap;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  bool operator==(const Reference&) const = default;
};

struct DecodedProgram {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> slots;  // per instruction, from the start of the program
};

// Names a slot in an error: "program count, slot 7 (count.bpf.c:12)".
using SlotPlace = std::function<std::string(std::uint32_t slot)>;

// Decodes one function of an object. `references` is sorted by slot; each must fit the instruction
// at its slot. What is accepted has valid registers and reserved fields, jumps that land on
// instructions, and no way to run past its end; anything else is refused by opcode and place.
Result<DecodedProgram> decode(Bytes code_untrusted, std::span<const Reference> references,
                              const SlotPlace& place);

// The same for code that comes without an object: it has no references, but subprograms, entered
// by calls and named by their distance.
Result<DecodedProgram> decode_raw(Bytes code_untrusted, const SlotPlace& place);

}  // namespace egpu::bpf
