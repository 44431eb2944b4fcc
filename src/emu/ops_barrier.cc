// bar and barrier.
#include <fmt/format.h>

#include <bit>

#include "emu/barriers.h"
#include "emu/groups.h"
#include "emu/lanes.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

// --- bar.sync, bar.arrive, bar.red: `a` the barrier, `b` the threads, `c` the predicate ---

template <bool kWait>
void at_barrier(Warp& warp, const Op& op, Mask lanes) {
  const auto* const barriers = lanes_of<std::uint32_t>(warp, op.a);
  const auto* const threads = op.b == kNoSlot ? nullptr : lanes_of<std::uint32_t>(warp, op.b);
  const Mask holds = op.c == kNoSlot ? 0 : predicate_of(warp, op.c);
  while (lanes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const std::uint32_t barrier = barriers[first];
    const std::uint32_t expected = threads == nullptr ? 0 : threads[first];
    if (barrier >= kBarriers)
      return warp.fault(FaultKind::kIllegalInstruction, first, fmt::format("barrier {}", barrier));
    Mask same = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      if (barriers[lane] == barrier) same |= Mask{1} << lane;
    });
    lanes &= ~same;
    arrive(warp, barrier, expected, same, holds & same, kWait);
  }
}

void arrive_at_cluster_barrier(Warp& warp, const Op&, Mask lanes) {
  arrive_at_cluster(warp, lanes);
}
void wait_at_cluster_barrier(Warp& warp, const Op&, Mask lanes) { wait_for_cluster(warp, lanes); }

Result<void> translate_cluster_barrier(Builder& builder, const ptx::Instruction& instruction,
                                       Modifiers modifiers) {
  const std::string_view what = modifiers.take_one_of({"arrive", "wait"});
  modifiers.take_one_of({"release", "relaxed", "acquire"});
  modifiers.take("aligned");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 0, 0));
  if (what.empty()) return builder.error("needs .arrive or .wait");
  builder.emit({.handler = what == "arrive" ? arrive_at_cluster_barrier : wait_at_cluster_barrier});
  return {};
}

Result<Reduction> take_reduction(const Builder& builder, Modifiers& modifiers) {
  const std::string_view operation = modifiers.take_one_of({"popc", "and", "or"});
  const auto type = modifiers.take_type();
  if (operation == "popc" && type == ValueType{TypeKind::kUnsigned, 32}) return Reduction::kCount;
  if (!operation.empty() && operation != "popc" && type == ValueType{TypeKind::kPredicate, 1})
    return operation == "and" ? Reduction::kAll : Reduction::kAny;
  return builder.error("needs .popc.u32, .and.pred or .or.pred");
}

// bar.sync a{, b}   bar.arrive a, b   bar.red.OP d, a{, b}, c
Result<void> translate_block_barrier(Builder& builder, const ptx::Instruction& instruction,
                                     Modifiers modifiers) {
  const std::string_view what = modifiers.take_one_of({"sync", "arrive", "red"});
  if (what.empty()) return builder.error("needs .sync, .arrive or .red");
  modifiers.take("cta");
  modifiers.take("aligned");
  constexpr ValueType kNumber{TypeKind::kUnsigned, 32};
  constexpr ValueType kPredicate{TypeKind::kPredicate, 1};
  Op op{.handler = what == "arrive" ? at_barrier<false> : at_barrier<true>};
  const auto& operands = instruction.operands;
  std::size_t next = 0;
  std::size_t end = operands.size();
  if (what == "red") {
    EGPU_TRY(builder.operands(instruction, 3, 4));
    EGPU_ASSIGN(const Reduction reduction, take_reduction(builder, modifiers));
    op.immediate = static_cast<std::int64_t>(reduction);
    EGPU_ASSIGN(op.c, builder.read(operands[--end], kPredicate));
    EGPU_ASSIGN(op.dst, builder.write(operands[next++],
                                      reduction == Reduction::kCount ? kNumber : kPredicate));
  } else {
    EGPU_TRY(builder.operands(instruction, what == "arrive" ? 2 : 1, 2));
  }
  EGPU_TRY(builder.finish(modifiers));
  EGPU_ASSIGN(op.a, builder.read(operands[next++], kNumber));
  if (next < end) {
    EGPU_ASSIGN(op.b, builder.read(operands[next], kNumber));
  }
  builder.emit(op);
  return {};
}

// --- bar.warp.sync ---

// Lanes may wait at different places, with the same mask. They go on once all have come.
void wait_for_warp(Warp& warp, const Op& op, Mask lanes) {
  const auto* const masks = lanes_of<std::uint32_t>(warp, op.a);
  while (lanes != 0) {
    const Mask members = masks[std::countr_zero(lanes)];
    Mask same = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      if (masks[lane] == members) same |= Mask{1} << lane;
    });
    lanes &= ~same;
    meet(warp, same, members);
  }
}

Result<void> translate_warp_barrier(Builder& builder, const ptx::Instruction& instruction,
                                    Modifiers modifiers) {
  if (!modifiers.take("sync")) return builder.error("needs .sync");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1, 1));
  EGPU_ASSIGN(const Slot mask, builder.read(instruction.operands[0], {TypeKind::kBits, 32}));
  builder.emit({.handler = wait_for_warp, .a = mask});
  return {};
}

Result<void> translate_barrier(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (modifiers.take("warp")) return translate_warp_barrier(builder, instruction, modifiers);
  if (modifiers.take("cluster")) return translate_cluster_barrier(builder, instruction, modifiers);
  return translate_block_barrier(builder, instruction, modifiers);
}

constexpr Translation kTable[] = {
    {"bar", translate_barrier},
    {"barrier", translate_barrier},
};

}  // namespace

TranslationTable barrier_table() { return kTable; }

}  // namespace egpu::emu
