// What follows the name of an instruction that accesses memory: state space, ordering, scope, hints
// to the caches.
#pragma once

#include "emu/access.h"
#include "emu/builder.h"

namespace egpu::emu {

// Which spaces an instruction may name.
enum class Spaces : std::uint8_t { kLoad, kStore, kAtomic };

struct MemoryModifiers {
  Space space = Space::kGeneric;
  // Others see each element change at once: volatile, relaxed, acquire, release, mmio.
  bool strong = false;
  bool cache_policy = false;  // .L2::cache_hint: one more operand
};

// Takes the state space: generic where none is written.
Result<Space> take_space(Builder& builder, Modifiers& modifiers, Spaces spaces);
// .cta, .cluster, .gpu, .sys: the memory of the process is coherent, whichever it is.
void take_scope(Modifiers& modifiers);
// Takes what says how caches are used, which no program can observe. True: .L2::cache_hint is
// there, so one more operand follows.
bool take_cache_hints(Modifiers& modifiers);
// All of that for ld, ldu and st.
Result<MemoryModifiers> take_memory_modifiers(Builder& builder, Modifiers& modifiers,
                                              Spaces spaces);
// Elements of .v2, .v4, .v8; 1 where none is there.
unsigned take_vector(Modifiers& modifiers);

// Nobody can tell what a cache policy does, but the operand has to be one.
Result<void> check_cache_policy(Builder& builder, const ptx::Operand& policy);
// `_`: a result nobody wants.
bool is_sink(const ptx::Operand& operand);

// The registers that hold an address in `space`.
struct AddressSlot {
  Slot slot = kNoSlot;
  bool wide = true;
  std::int64_t offset = 0;
};

// Where handlers find an address: lanes of 64 bits, or of 32 bits for shared and local memory.
Result<AddressSlot> address_in(Builder& builder, const ptx::Operand& operand, Space space);

}  // namespace egpu::emu
