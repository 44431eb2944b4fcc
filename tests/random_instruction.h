// Random instructions of PTX, from patterns:
//   <a/b>            one of these
//   %r %d %h %f %g   a register of 32, 64, 16 bits, f32, f64; those of one {...} differ
//   %p               a predicate
//   %R %D %H %F %G   such a register or a number
//   & &+8            an address, and one behind it
// Other text stays, so that patterns may name registers of the function they are for.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace egpu {

struct RegisterKind {
  char letter;  // registers are called %r0, %r1, ...
  std::string_view type;
  unsigned bytes;  // 0: predicate
};
inline constexpr std::array<RegisterKind, 6> kRegisterKinds = {{
    {'d', "b64", 8},
    {'g', "f64", 8},
    {'r', "b32", 4},
    {'f', "f32", 4},
    {'h', "b16", 2},
    {'p', "pred", 0},
}};

struct Address {
  std::string base;  // a register or a variable
  std::uint32_t offset = 0;
};

class RandomText {
 public:
  // `registers`: how many there are of each kind at first.
  RandomText(std::mt19937_64& random, unsigned registers)
      : random_(random), registers_(registers) {}

  // So many more registers of each kind, which from now on are used most.
  void add_registers() { first_ += registers_; }
  // Those that are used most: numbers first <= n < end.
  unsigned first_register() const { return first_; }
  unsigned end_register() const { return first_ + registers_; }

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool one_in(unsigned count) { return below(count) == 0; }
  std::string_view one_of(std::span<const std::string_view> values) {
    return values[below(static_cast<unsigned>(values.size()))];
  }
  // Edge values are as frequent as others.
  std::uint64_t number();

  std::string fill(std::string_view pattern, const Address& address = {});
  std::string reg(char letter);

 private:
  std::string choose(std::string_view pattern);
  std::string immediate(char letter);
  std::string operand(char letter, std::vector<std::string>* others);

  std::mt19937_64& random_;
  unsigned registers_;
  unsigned first_ = 0;
};

// A computation of registers alone.
std::string_view any_computation(RandomText& text);
// A load into and a store from registers, at 16 bytes that the address is a multiple of: what
// follows "ld.SPACE." or "st.SPACE.".
std::string_view any_load(RandomText& text);
std::string_view any_store(RandomText& text);
// What all lanes of %mask execute together.
std::string_view any_warp_operation(RandomText& text);

}  // namespace egpu
