// Registers of a function by name, and the slots they get.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emu/op.h"
#include "ptx/ast.h"

namespace egpu::emu {

// Gives out the bytes of a frame's register file.
class SlotAllocator {
 public:
  // `used`: bytes at the front that somebody else gave out.
  explicit SlotAllocator(std::uint32_t used = 0) { take_bytes(used); }

  // 1, 16, 32, 64 or 128 bits (8: as 16); kNoSlot: the file is full.
  Slot take(unsigned bits);
  // Bytes of any kind, aligned to 64; kNoSlot as above.
  Slot take_bytes(std::uint64_t bytes);

  std::uint32_t size() const { return static_cast<std::uint32_t>(size_); }

 private:
  std::uint64_t size_ = 0;
  Slot predicates_ = 0;  // room for predicates, next to be given
  Slot predicates_end_ = 0;
};

struct RegisterSlot {
  Slot slot = kNoSlot;
  unsigned bits = 0;         // as declared
  std::uint32_t number = 0;  // in the order of first uses
};

// The register declarations of nested blocks. A register gets its slot when it is first used, for
// declarations name many more than there are.
class RegisterNames {
 public:
  // `plan`: null, or the slots of all registers by their numbers.
  RegisterNames(SlotAllocator& slots, const std::vector<Slot>* plan) : slots_(slots), plan_(plan) {
    enter();
  }

  void enter() { scopes_.emplace_back(); }
  void leave() { scopes_.pop_back(); }

  // False where the type is none that registers have.
  bool declare(const ptx::Declaration& declaration);
  // Nothing where the name is not declared, or no room is left.
  std::optional<RegisterSlot> find(std::string_view name);

  // Bits of each register that was found, by number.
  const std::vector<unsigned>& bits() const { return bits_; }

 private:
  struct Declared {
    std::uint64_t count = 0;  // 0: the name itself
    unsigned bits = 0;
  };
  struct Scope {
    std::unordered_map<std::string_view, Declared> declared;
    std::unordered_map<std::string_view, RegisterSlot> used;
  };

  static std::optional<unsigned> declared_bits(const Scope& scope, std::string_view name);

  SlotAllocator& slots_;
  const std::vector<Slot>* plan_;
  std::vector<Scope> scopes_;
  std::vector<unsigned> bits_;
};

}  // namespace egpu::emu
