// Instructions about addresses that access no memory, and those that only move data between memory
// and caches, which this process has none of.
#include <fmt/format.h>

#include "emu/memory_modifiers.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

constexpr ValueType kPredicateType{TypeKind::kPredicate, 1};
constexpr std::uint64_t kSharedOffsetMask = (std::uint64_t{1} << kSharedRankShift) - 1;

// What a space's addresses begin at as generic addresses; nothing where it is no such space.
std::optional<std::uint64_t> window_base(std::string_view space) {
  if (space == "global" || space == "const") return 0;
  if (space.starts_with("shared")) return kSharedWindow;
  if (space == "local") return kLocalWindow;
  if (space == "param" || space == "param::entry") return kParameterWindow;
  return std::nullopt;
}

std::string_view take_any_space(Modifiers& modifiers) {
  return modifiers.take_one_of({"global", "const", "local", "shared", "shared::cta",
                                "shared::cluster", "param", "param::entry"});
}

// op.dst = op.a + op.immediate
void add_immediate(Warp& warp, const Op& op, Mask lanes) {
  const auto* a = lanes_of<std::uint64_t>(warp, op.a);
  const auto base = static_cast<std::uint64_t>(op.immediate);
  set_lanes<std::uint64_t>(warp, op.dst, lanes, [&](unsigned i) { return a[i] + base; });
}

Result<void> translate_cvta(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool to = modifiers.take("to");
  const auto base = window_base(take_any_space(modifiers));
  if (!base) return builder.error("names no state space");
  if (!modifiers.take("u64")) return builder.error("generic addresses have 64 bits");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  constexpr ValueType kAddress{TypeKind::kUnsigned, 64};
  EGPU_ASSIGN(const Slot source, builder.read(instruction.operands[1], kAddress));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], kAddress));
  const auto shift = static_cast<std::int64_t>(to ? 0 - *base : *base);
  builder.emit({.handler = add_immediate, .dst = result, .a = source, .immediate = shift});
  return {};
}

bool in_window(std::uint64_t address, std::uint64_t base) { return address - base < kWindowBytes; }

template <std::uint64_t base>
void is_in_window(Warp& warp, const Op& op, Mask lanes) {
  const auto* a = lanes_of<std::uint64_t>(warp, op.a);
  set_predicate(warp, op.dst, lanes, [&](unsigned i) { return in_window(a[i], base); });
}

void is_in_own_shared(Warp& warp, const Op& op, Mask lanes) {
  const auto* a = lanes_of<std::uint64_t>(warp, op.a);
  const std::uint64_t own = warp.block->cluster_rank + 1;
  set_predicate(warp, op.dst, lanes, [&](unsigned i) {
    const std::uint64_t rank = (a[i] - kSharedWindow) >> kSharedRankShift;
    return rank == 0 || rank == own;
  });
}

void is_global(Warp& warp, const Op& op, Mask lanes) {
  const auto* a = lanes_of<std::uint64_t>(warp, op.a);
  set_predicate(warp, op.dst, lanes, [&](unsigned i) {
    return !in_window(a[i], kSharedWindow) && !in_window(a[i], kLocalWindow) &&
           !in_window(a[i], kParameterWindow);
  });
}

// Constants have global addresses here, so .const cannot be told.
Handler space_test(std::string_view space) {
  if (space == "global") return is_global;
  if (space == "local") return is_in_window<kLocalWindow>;
  if (space == "shared" || space == "shared::cta") return is_in_own_shared;
  if (space == "shared::cluster") return is_in_window<kSharedWindow>;
  if (space == "param" || space == "param::entry") return is_in_window<kParameterWindow>;
  return nullptr;
}

Result<void> translate_isspacep(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view space = take_any_space(modifiers);
  EGPU_TRY(builder.finish(modifiers));
  const Handler handler = space_test(space);
  if (handler == nullptr) return builder.error("cannot test for this state space");
  EGPU_TRY(builder.operands(instruction, 2, 2));
  EGPU_ASSIGN(const Slot address, builder.read(instruction.operands[1], {TypeKind::kUnsigned, 64}));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], kPredicateType));
  builder.emit({.handler = handler, .dst = result, .a = address});
  return {};
}

// The shared address, or the generic one in op.immediate's window, of the same offset in the block
// of rank op.b.
template <class T>
void map_to_rank(Warp& warp, const Op& op, Mask lanes) {
  const auto* a = lanes_of<T>(warp, op.a);
  const auto* rank = lanes_of<std::uint32_t>(warp, op.b);
  const auto base = static_cast<std::uint64_t>(op.immediate);
  set_lanes<T>(warp, op.dst, lanes, [&](unsigned i) {
    const std::uint64_t offset = (a[i] - base) & kSharedOffsetMask;
    return static_cast<T>(base + ((std::uint64_t{rank[i]} + 1) << kSharedRankShift) + offset);
  });
}

template <class T>
void rank_of_address(Warp& warp, const Op& op, Mask lanes) {
  const auto* a = lanes_of<T>(warp, op.a);
  const auto base = static_cast<std::uint64_t>(op.immediate);
  const std::uint32_t own = warp.block->cluster_rank;
  set_lanes<std::uint32_t>(warp, op.dst, lanes, [&](unsigned i) {
    const auto rank = static_cast<std::uint32_t>((a[i] - base) >> kSharedRankShift);
    return rank == 0 ? own : rank - 1;
  });
}

// Generic where no space is named: nothing but 64 bits then.
struct ClusterAddress {
  ValueType type;
  std::int64_t base = 0;
};
Result<ClusterAddress> take_cluster_address(Builder& builder, Modifiers& modifiers) {
  const bool shared = modifiers.take("shared::cluster");
  const auto type = modifiers.take_type();
  const bool known = type && type->kind == TypeKind::kUnsigned &&
                     (type->bits == 64 || (type->bits == 32 && shared));
  if (!known) return builder.error("takes addresses of type .u64, or .u32 in .shared::cluster");
  EGPU_TRY(builder.finish(modifiers));
  return ClusterAddress{*type, shared ? 0 : static_cast<std::int64_t>(kSharedWindow)};
}

Result<void> translate_mapa(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ClusterAddress how, take_cluster_address(builder, modifiers));
  EGPU_TRY(builder.operands(instruction, 3, 3));
  EGPU_ASSIGN(const Slot address, builder.read(instruction.operands[1], how.type));
  EGPU_ASSIGN(const Slot rank, builder.read(instruction.operands[2], {TypeKind::kUnsigned, 32}));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], how.type));
  builder.emit(
      {.handler = how.type.bits == 64 ? map_to_rank<std::uint64_t> : map_to_rank<std::uint32_t>,
       .dst = result,
       .a = address,
       .b = rank,
       .immediate = how.base});
  return {};
}

Result<void> translate_getctarank(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  EGPU_ASSIGN(const ClusterAddress how, take_cluster_address(builder, modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  EGPU_ASSIGN(const Slot address, builder.read(instruction.operands[1], how.type));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], {TypeKind::kUnsigned, 32}));
  builder.emit({.handler = how.type.bits == 64 ? rank_of_address<std::uint64_t>
                                               : rank_of_address<std::uint32_t>,
                .dst = result,
                .a = address,
                .immediate = how.base});
  return {};
}

// prefetch, prefetchu, discard, applypriority: nothing a program could observe. What discard throws
// away is undefined until it is written again; here it stays what it was.
Result<void> translate_hint(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take_one_of({"global", "local", "const", "param"});
  modifiers.take_one_of({"L1", "L2", "tensormap", "L2::evict_last", "L2::evict_normal"});
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1, 2));
  EGPU_TRY(builder.address(instruction.operands[0]));
  return {};
}

void set_policy(Warp& warp, const Op& op, Mask lanes) {
  set_lanes<std::uint64_t>(warp, op.dst, lanes, [](unsigned) { return std::uint64_t{1}; });
}

// Policies are opaque, and no instruction asks for more than that one is there.
Result<void> translate_createpolicy(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take_one_of({"fractional", "range", "cvt"});
  modifiers.take("global");
  modifiers.take("L2");
  for (int level = 0; level < 2; ++level) {
    modifiers.take_one_of(
        {"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"});
  }
  modifiers.take("b64");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1, 4));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], {TypeKind::kBits, 64}));
  builder.emit({.handler = set_policy, .dst = result});
  return {};
}

constexpr Translation kTable[] = {
    {"applypriority", translate_hint},
    {"createpolicy", translate_createpolicy},
    {"cvta", translate_cvta},
    {"discard", translate_hint},
    {"getctarank", translate_getctarank},
    {"isspacep", translate_isspacep},
    {"mapa", translate_mapa},
    {"prefetch", translate_hint},
    {"prefetchu", translate_hint},
};

}  // namespace

TranslationTable address_table() { return kTable; }

}  // namespace egpu::emu
