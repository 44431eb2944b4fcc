// vote, match, activemask, elect: what lanes of a warp tell each other in masks.
#include <bit>

#include "emu/membership.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

enum class Vote : std::uint8_t { kAll, kAny, kUniform, kBallot };

template <Vote vote>
void vote_among(Warp& warp, const Op& op, Mask together) {
  const Mask holds = predicate_of(warp, op.a) & together;
  if constexpr (vote == Vote::kBallot) {
    set_lanes<Mask>(warp, op.dst, together, [&](unsigned) { return holds; });
  } else {
    bool result = holds != 0;
    if (vote == Vote::kAll) result = holds == together;
    if (vote == Vote::kUniform) result = holds == 0 || holds == together;
    Mask& out = predicate_of(warp, op.dst);
    out = (out & ~together) | (result ? together : 0);
  }
}

template <Vote kind>
void vote(Warp& warp, const Op& op, Mask lanes) {
  vote_among<kind>(warp, op, lanes);
}
template <Vote kind>
void vote_sync(Warp& warp, const Op& op, Mask lanes) {
  for_members(warp, op, lanes, op.b, [&](Mask together) { vote_among<kind>(warp, op, together); });
}

template <Vote kind>
Handler handler_of(bool sync) {
  return sync ? vote_sync<kind> : vote<kind>;
}

Result<void> translate_vote(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool sync = modifiers.take("sync");
  const std::string_view mode = modifiers.take_one_of({"all", "any", "uni", "ballot"});
  const bool ballot = mode == "ballot";
  if (mode.empty() || !modifiers.take(ballot ? "b32" : "pred")) {
    return builder.error("has no mode or no type");
  }
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t count = sync ? 3 : 2;
  EGPU_TRY(builder.operands(instruction, count, count));
  Op op;
  if (mode == "all") op.handler = handler_of<Vote::kAll>(sync);
  if (mode == "any") op.handler = handler_of<Vote::kAny>(sync);
  if (mode == "uni") op.handler = handler_of<Vote::kUniform>(sync);
  if (ballot) op.handler = handler_of<Vote::kBallot>(sync);
  EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], kPred));
  if (sync) {
    EGPU_ASSIGN(op.b, builder.read(instruction.operands[2], kB32));
  }
  EGPU_ASSIGN(op.dst, builder.write(instruction.operands[0], ballot ? kB32 : kPred));
  builder.emit(op);
  return {};
}

template <class T>
void match_any(Warp& warp, const Op& op, Mask lanes) {
  for_members(warp, op, lanes, op.b, [&](Mask together) {
    const T* a = lanes_of<T>(warp, op.a);
    Mask result[kLanes];
    for (Mask rest = together; rest != 0;) {
      const T value = a[std::countr_zero(rest)];
      Mask same = 0;
      for_each_lane(rest, [&](unsigned i) { same |= Mask{a[i] == value} << i; });
      for_each_lane(same, [&](unsigned i) { result[i] = same; });
      rest &= ~same;
    }
    auto* out = lanes_of<Mask>(warp, op.dst);
    for_each_lane(together, [&](unsigned i) { out[i] = result[i]; });
  });
}

// op.c: a predicate, or kNoSlot.
template <class T>
void match_all(Warp& warp, const Op& op, Mask lanes) {
  for_members(warp, op, lanes, op.b, [&](Mask together) {
    const T* a = lanes_of<T>(warp, op.a);
    const T value = a[std::countr_zero(together)];
    bool same = true;
    for_each_lane(together, [&](unsigned i) { same = same && a[i] == value; });
    set_lanes<Mask>(warp, op.dst, together, [&](unsigned) { return same ? together : 0; });
    if (op.c == kNoSlot) return;
    Mask& out = predicate_of(warp, op.c);
    out = (out & ~together) | (same ? together : 0);
  });
}

// d or d|p, the mask and the predicate.
Result<void> write_mask(Builder& builder, const ptx::Operand& operand, Op& op) {
  if (const auto* pair = std::get_if<ptx::Pair>(&operand)) {
    EGPU_ASSIGN(op.dst, builder.write(pair->first, kB32));
    EGPU_ASSIGN(op.c, builder.write(pair->second, kPred));
  } else {
    EGPU_ASSIGN(op.dst, builder.write(operand, kB32));
  }
  return {};
}

Result<void> translate_match(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const std::string_view mode = modifiers.take_one_of({"any", "all"});
  const bool wide = modifiers.take("b64");
  if (mode.empty() || !modifiers.take("sync") || (!wide && !modifiers.take("b32"))) {
    return builder.error("has no mode or no type");
  }
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 3, 3));
  Op op;
  if (mode == "any") {
    op.handler = wide ? match_any<std::uint64_t> : match_any<std::uint32_t>;
  } else {
    op.handler = wide ? match_all<std::uint64_t> : match_all<std::uint32_t>;
  }
  EGPU_ASSIGN(op.a, builder.read(instruction.operands[1], wide ? kB64 : kB32));
  EGPU_ASSIGN(op.b, builder.read(instruction.operands[2], kB32));
  EGPU_TRY(write_mask(builder, instruction.operands[0], op));
  if (mode == "any" && op.c != kNoSlot) return builder.error("gives no predicate");
  builder.emit(op);
  return {};
}

void active_mask(Warp& warp, const Op& op, Mask lanes) {
  set_lanes<Mask>(warp, op.dst, lanes, [&](unsigned) { return lanes; });
}

Result<void> translate_activemask(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (!modifiers.take("b32")) return builder.error("has no type .b32");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1, 1));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], kB32));
  builder.emit({.handler = active_mask, .dst = result});
  return {};
}

// The lowest lane leads.
void elect(Warp& warp, const Op& op, Mask lanes) {
  for_members(warp, op, lanes, op.b, [&](Mask together) {
    const auto leader = static_cast<std::uint32_t>(std::countr_zero(together));
    set_lanes<std::uint32_t>(warp, op.dst, together, [&](unsigned) { return leader; });
    Mask& out = predicate_of(warp, op.c);
    out = (out & ~together) | Mask{1} << leader;
  });
}

Result<void> translate_elect(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (!modifiers.take("sync")) return builder.error("is not .sync");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  Op op{.handler = elect};
  EGPU_ASSIGN(op.b, builder.read(instruction.operands[1], kB32));
  EGPU_TRY(write_mask(builder, instruction.operands[0], op));
  if (op.c == kNoSlot) return builder.error("gives a lane and a predicate");
  builder.emit(op);
  return {};
}

constexpr Translation kTable[] = {
    {"activemask", translate_activemask},
    {"elect", translate_elect},
    {"match", translate_match},
    {"vote", translate_vote},
};

}  // namespace

TranslationTable vote_table() { return kTable; }

}  // namespace egpu::emu
