#include "emu/value_type.h"

#include <array>
#include <utility>

namespace egpu::emu {
namespace {

constexpr auto kTypes = std::to_array<std::pair<std::string_view, ValueType>>({
    {"pred", {TypeKind::kPredicate, 1}},
    {"b8", {TypeKind::kBits, 8}},
    {"b16", {TypeKind::kBits, 16}},
    {"b32", {TypeKind::kBits, 32}},
    {"b64", {TypeKind::kBits, 64}},
    {"b128", {TypeKind::kBits, 128}},
    {"u8", {TypeKind::kUnsigned, 8}},
    {"u16", {TypeKind::kUnsigned, 16}},
    {"u32", {TypeKind::kUnsigned, 32}},
    {"u64", {TypeKind::kUnsigned, 64}},
    {"s8", {TypeKind::kSigned, 8}},
    {"s16", {TypeKind::kSigned, 16}},
    {"s32", {TypeKind::kSigned, 32}},
    {"s64", {TypeKind::kSigned, 64}},
    {"f16", {TypeKind::kFloat, 16}},
    {"f32", {TypeKind::kFloat, 32}},
    {"f64", {TypeKind::kFloat, 64}},
    {"bf16", {TypeKind::kBrainFloat, 16}},
    {"f32x2", {TypeKind::kFloat, 32, 2}},
    {"f16x2", {TypeKind::kFloat, 16, 2}},
    {"bf16x2", {TypeKind::kBrainFloat, 16, 2}},
    {"u16x2", {TypeKind::kUnsigned, 16, 2}},
    {"s16x2", {TypeKind::kSigned, 16, 2}},
});

}  // namespace

std::optional<ValueType> parse_type(std::string_view text) {
  if (text.starts_with('.')) text.remove_prefix(1);
  for (const auto& [name, type] : kTypes)
    if (name == text) return type;
  return std::nullopt;
}

}  // namespace egpu::emu
