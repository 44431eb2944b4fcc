#include "emu/immediate.h"

#include <bit>
#include <charconv>
#include <string_view>

namespace egpu::emu {
namespace {

constexpr std::uint64_t kSign32 = std::uint64_t{1} << 31;
constexpr std::uint64_t kSign64 = std::uint64_t{1} << 63;

struct Literal {
  std::uint64_t bits = 0;
  unsigned width = 0;     // 32: written as 0f..., 64: otherwise
  bool is_exact = false;  // written as bits
};

std::optional<Literal> read(const ptx::Float& number) {
  std::string_view text = number.text;
  Literal literal{.width = 64};
  if (text.size() > 2 && text[0] == '0' && std::string_view("fFdD").contains(text[1])) {
    literal.width = text[1] == 'f' || text[1] == 'F' ? 32 : 64;
    literal.is_exact = true;
    text.remove_prefix(2);
    if (text.size() != literal.width / 4) return std::nullopt;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), literal.bits, 16);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  } else {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    literal.bits = std::bit_cast<std::uint64_t>(value);
  }
  if (number.negative) literal.bits ^= literal.width == 32 ? kSign32 : kSign64;
  return literal;
}

std::uint64_t to_single(std::uint64_t bits) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
}
std::uint64_t to_double(std::uint64_t bits) {
  const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

}  // namespace

std::optional<std::uint64_t> bits_of(const ptx::Integer& integer, ValueType type) {
  if (type.bits == 128 || type.kind == TypeKind::kFloat || type.kind == TypeKind::kBrainFloat)
    return std::nullopt;
  const auto value = ptx::integer_value(integer);
  if (!value) return std::nullopt;
  if (type.kind == TypeKind::kPredicate) return *value != 0 ? 1 : 0;
  const unsigned bits = type.total_bits();
  return bits == 64 ? *value : *value & ((std::uint64_t{1} << bits) - 1);
}

std::optional<std::uint64_t> bits_of(const ptx::Float& number, ValueType type) {
  const auto literal = read(number);
  if (!literal || type.elements != 1) return std::nullopt;
  if (type.kind == TypeKind::kBits && literal->is_exact && literal->width == type.bits)
    return literal->bits;
  if (type.kind != TypeKind::kFloat || (type.bits != 32 && type.bits != 64)) return std::nullopt;
  if (literal->width == type.bits) return literal->bits;
  return type.bits == 32 ? to_single(literal->bits) : to_double(literal->bits);
}

}  // namespace egpu::emu
