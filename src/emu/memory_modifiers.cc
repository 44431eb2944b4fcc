#include "emu/memory_modifiers.h"

#include <fmt/format.h>

namespace egpu::emu {
namespace {

void widen(Warp& warp, const Op& op, Mask lanes) {
  const auto* narrow = lanes_of<std::uint32_t>(warp, op.a);
  set_lanes<std::uint64_t>(warp, op.dst, lanes, [&](unsigned i) { return narrow[i]; });
}

}  // namespace

Result<Space> take_space(Builder& builder, Modifiers& modifiers, Spaces spaces) {
  const bool atomic = spaces == Spaces::kAtomic;
  const std::string_view space = modifiers.take_one_of(
      {"global", "shared", "shared::cta", "shared::cluster", "local", "const"});
  if (space.empty()) {
    if (atomic) return Space::kGenericShareable;
    return spaces == Spaces::kLoad ? Space::kGeneric : Space::kGenericWritable;
  }
  if (space == "global") return Space::kGlobal;
  if (space.starts_with("shared")) return Space::kShared;
  if (space == "local" && !atomic) return Space::kLocal;
  if (space == "const" && spaces == Spaces::kLoad) return Space::kGlobal;
  return builder.error(fmt::format("cannot access .{} memory", space));
}

void take_scope(Modifiers& modifiers) { modifiers.take_one_of({"cta", "cluster", "gpu", "sys"}); }

bool take_cache_hints(Modifiers& modifiers) {
  modifiers.take_one_of({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                         "L1::evict_last", "L1::no_allocate"});
  modifiers.take_one_of({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  modifiers.take_one_of({"L2::64B", "L2::128B", "L2::256B"});
  return modifiers.take("L2::cache_hint");
}

Result<MemoryModifiers> take_memory_modifiers(Builder& builder, Modifiers& modifiers,
                                              Spaces spaces) {
  MemoryModifiers result;
  modifiers.take("mmio");
  const bool load = spaces == Spaces::kLoad;
  const std::string_view order = modifiers.take_one_of(
      {"weak", "volatile", "relaxed", load ? std::string_view("acquire") : "release"});
  result.strong = !order.empty() && order != "weak";
  if (result.strong && order != "volatile") take_scope(modifiers);
  EGPU_ASSIGN(result.space, take_space(builder, modifiers, spaces));
  // One host thread runs all blocks of a cluster: nobody can see half a change there.
  if (result.space == Space::kShared || result.space == Space::kLocal) result.strong = false;
  if (load) {
    modifiers.take("nc");
    modifiers.take_one_of({"ca", "cg", "cs", "lu", "cv"});
  } else {
    modifiers.take_one_of({"wb", "cg", "cs", "wt"});
  }
  result.cache_policy = take_cache_hints(modifiers);
  return result;
}

unsigned take_vector(Modifiers& modifiers) {
  const std::string_view vector = modifiers.take_one_of({"v2", "v4", "v8"});
  return vector.empty() ? 1 : static_cast<unsigned>(vector[1] - '0');
}

Result<void> check_cache_policy(Builder& builder, const ptx::Operand& policy) {
  EGPU_TRY(builder.read(policy, {TypeKind::kBits, 64}));
  return {};
}

bool is_sink(const ptx::Operand& operand) {
  const auto* reg = std::get_if<ptx::Register>(&operand);
  return reg != nullptr && reg->name == "_";
}

Result<AddressSlot> address_in(Builder& builder, const ptx::Operand& operand, Space space) {
  EGPU_ASSIGN(const AddressOperand address, builder.address(operand));
  if (address.base == kNoSlot) {
    return AddressSlot{builder.constant(static_cast<std::uint64_t>(address.offset), 64), true, 0};
  }
  const bool narrow_space = space == Space::kShared || space == Space::kLocal;
  if (address.wide || narrow_space) {
    return AddressSlot{address.base, address.wide, address.offset};
  }
  const Slot wide = builder.scratch(64);
  builder.emit({.handler = widen, .dst = wide, .a = address.base});
  return AddressSlot{wide, true, address.offset};
}

}  // namespace egpu::emu
