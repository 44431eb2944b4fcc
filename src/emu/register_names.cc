#include "emu/register_names.h"

#include <charconv>

#include "emu/value_type.h"

namespace egpu::emu {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;
constexpr std::uint64_t kLine = 64;

}  // namespace

Slot SlotAllocator::take_bytes(std::uint64_t bytes) {
  if (bytes > kLargestFile - size_) return kNoSlot;
  const Slot slot = static_cast<Slot>(size_);
  size_ += (bytes + kLine - 1) / kLine * kLine;
  return slot;
}

Slot SlotAllocator::take(unsigned bits) {
  if (bits != 1) return take_bytes(std::uint64_t{kLanes} * (bits <= 16 ? 2 : bits / 8));
  if (predicates_ == predicates_end_) {
    const Slot line = take_bytes(kLine);
    if (line == kNoSlot) return kNoSlot;
    predicates_ = line;
    predicates_end_ = line + kLine;
  }
  const Slot slot = predicates_;
  predicates_ += sizeof(Mask);
  return slot;
}

bool RegisterNames::declare(const ptx::Declaration& declaration) {
  const auto type = parse_type(declaration.type());
  if (!type || declaration.has(".v2") || declaration.has(".v4")) return false;
  for (const ptx::Declarator& declarator : declaration.declarators) {
    std::uint64_t count = 0;
    if (!declarator.count.empty()) {
      const auto number = ptx::integer_value({declarator.count});
      if (!number || *number == 0) return false;
      count = *number;
    }
    scopes_.back().declared[declarator.name] = {count, type->total_bits()};
  }
  return true;
}

// A name is declared by itself or as PREFIX<COUNT>, where the prefix may end in digits too.
std::optional<unsigned> RegisterNames::declared_bits(const Scope& scope, std::string_view name) {
  const auto itself = scope.declared.find(name);
  if (itself != scope.declared.end() && itself->second.count == 0) return itself->second.bits;
  for (std::size_t digits = 1; digits < name.size() && digits <= 10; ++digits) {
    const std::string_view number = name.substr(name.size() - digits);
    if (number.front() < '0' || number.front() > '9') break;
    if (number.front() == '0' && digits > 1) continue;
    const auto range = scope.declared.find(name.substr(0, name.size() - digits));
    std::uint64_t value = 0;
    std::from_chars(number.data(), number.data() + number.size(), value);
    if (range != scope.declared.end() && value < range->second.count) return range->second.bits;
  }
  return std::nullopt;
}

std::optional<RegisterSlot> RegisterNames::find(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto used = scope->used.find(name);
    if (used != scope->used.end()) return used->second;
    const auto bits = declared_bits(*scope, name);
    if (!bits) continue;
    const auto number = static_cast<std::uint32_t>(bits_.size());
    const Slot slot = plan_ == nullptr ? slots_.take(*bits) : plan_->at(number);
    if (slot == kNoSlot) return std::nullopt;
    bits_.push_back(*bits);
    return scope->used.emplace(name, RegisterSlot{slot, *bits, number}).first->second;
  }
  return std::nullopt;
}

}  // namespace egpu::emu
