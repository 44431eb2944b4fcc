#include "emu/layout.h"

#include <bit>

namespace egpu::emu {
namespace {

constexpr std::uint64_t kLargestAlignment = 4096;
constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;

}  // namespace

std::optional<std::uint64_t> alignment_of(const ptx::Declaration& declaration) {
  const auto element = declaration.bytes(ptx::Declarator{});
  if (!element) return std::nullopt;
  const std::uint64_t alignment = declaration.alignment().value_or(*element);
  if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) return std::nullopt;
  return alignment;
}

std::optional<Extent> extent_of(const ptx::Declaration& declaration,
                                const ptx::Declarator& declarator) {
  const auto alignment = alignment_of(declaration);
  const auto bytes = declaration.bytes(declarator);
  if (!alignment || !bytes || *bytes > kLargestVariable) return std::nullopt;
  return Extent{*bytes, *alignment};
}

}  // namespace egpu::emu
