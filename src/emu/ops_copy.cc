// cp.async: copies from global to shared memory.
//
// They are carried out at once, which is one of the orders PTX allows: waiting for them is then
// nothing to do, and an mbarrier that is to track them sees them complete.
#include <fmt/format.h>

#include "emu/bulk_copy.h"
#include "emu/mbarrier.h"
#include "emu/memory_modifiers.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

// Op::extra; op.a and op.immediate are the destination.
struct Copy {
  unsigned bytes = 0;
  Resolver to = nullptr;
  AddressSlot from = {};        // in global memory
  Slot source_bytes = kNoSlot;  // 32 bits: what is copied, zeros follow; kNoSlot: all
  Slot ignore = kNoSlot;        // predicate: copy nothing; kNoSlot: false
};

// How much each lane copies; false after a fault.
bool sizes_of(Warp& warp, const Copy& copy, Mask lanes, std::uint32_t* sizes) {
  for (unsigned i = 0; i < kLanes; ++i) sizes[i] = copy.bytes;
  if (copy.source_bytes != kNoSlot) {
    const auto* given = lanes_of<std::uint32_t>(warp, copy.source_bytes);
    for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
      const unsigned lane = std::countr_zero(rest);
      sizes[lane] = given[lane];
      if (given[lane] <= copy.bytes) continue;
      warp.fault(FaultKind::kIllegalInstruction, lane,
                 fmt::format("{} bytes of {} to copy", given[lane], copy.bytes));
      return false;
    }
  }
  if (copy.ignore != kNoSlot) {
    for_each_lane(predicate_of(warp, copy.ignore) & lanes, [&](unsigned i) { sizes[i] = 0; });
  }
  return true;
}

template <unsigned bytes>
void copy_lanes(const Access& from, const Access& to, Mask lanes) {
  const bool consecutive =
      from.pattern == Access::Pattern::kConsecutive && to.pattern == Access::Pattern::kConsecutive;
  if (lanes == kAllLanes && consecutive) {
    std::memcpy(to.first, from.first, std::size_t{kLanes} * bytes);
    return;
  }
  for_each_lane(lanes,
                [&](unsigned i) { std::memcpy(to.lane(i, bytes), from.lane(i, bytes), bytes); });
}

template <unsigned bytes>
void copy_async(Warp& warp, const Op& op, Mask lanes) {
  const auto& copy = *static_cast<const Copy*>(op.extra);
  std::uint32_t sizes[kLanes];
  if (!sizes_of(warp, copy, lanes, sizes)) return;
  Mask whole = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    whole |= static_cast<Mask>(sizes[i] == bytes ? 1 : 0) << i;
  }
  whole &= lanes;
  Access to;
  if (!copy.to(warp, op, lanes, bytes, to)) return;
  Op source = op;
  source.a = copy.from.slot;
  source.immediate = copy.from.offset;
  if (whole != 0) {
    Access from;
    if (!resolve<Space::kGlobal, std::uint64_t>(warp, source, whole, bytes, from)) return;
    copy_lanes<bytes>(from, to, whole);
  }
  const auto* address = lanes_of<std::uint64_t>(warp, source.a);
  for (Mask rest = lanes & ~whole; rest != 0; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    std::byte* const out = to.lane(lane, bytes);
    std::memset(out, 0, bytes);
    if (sizes[lane] == 0) continue;
    const std::byte* const from =
        resolve_lane(warp, source, lane,
                     {.space = Space::kGlobal,
                      .address = address[lane] + static_cast<std::uint64_t>(source.immediate),
                      .bytes = sizes[lane],
                      .alignment = bytes});
    if (from == nullptr) return;
    std::memcpy(out, from, sizes[lane]);
  }
}

// [to], [from], bytes{, source bytes or ignore}{, policy}
Result<void> translate_copy(Builder& builder, const ptx::Instruction& instruction,
                            Modifiers& modifiers) {
  const bool all_levels = modifiers.take("ca");
  if (!all_levels && !modifiers.take("cg")) return builder.error("is neither .ca nor .cg");
  if (modifiers.take_one_of({"shared", "shared::cta"}).empty() || !modifiers.take("global")) {
    return builder.error("does not copy from .global to .shared");
  }
  const bool policy = take_cache_hints(modifiers);
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, policy ? 4 : 3, policy ? 5 : 4));
  const auto& operands = instruction.operands;
  const auto* literal = std::get_if<ptx::Integer>(&operands[2]);
  const auto bytes = literal == nullptr ? std::nullopt : ptx::integer_value(*literal);
  if (!bytes || !(*bytes == 16 || (all_levels && (*bytes == 4 || *bytes == 8)))) {
    return builder.error("cannot copy so many bytes");
  }
  EGPU_ASSIGN(const AddressSlot to, address_in(builder, operands[0], Space::kShared));
  Copy copy{.bytes = static_cast<unsigned>(*bytes), .to = resolver(Space::kShared, to.wide)};
  EGPU_ASSIGN(copy.from, address_in(builder, operands[1], Space::kGlobal));
  if (operands.size() == (policy ? 5 : 4)) {
    if (builder.width_of(operands[3]) == 1) {
      EGPU_ASSIGN(copy.ignore, builder.read(operands[3], kPred));
    } else {
      EGPU_ASSIGN(copy.source_bytes, builder.read(operands[3], kB32));
    }
  }
  if (policy) EGPU_TRY(check_cache_policy(builder, operands.back()));
  Handler handler = copy_async<16>;
  if (*bytes == 4) handler = copy_async<4>;
  if (*bytes == 8) handler = copy_async<8>;
  builder.emit(
      {.handler = handler, .a = to.slot, .immediate = to.offset, .extra = builder.keep(copy)});
  return {};
}

// All copies so far have arrived; op.extra: the Resolver of the barrier.
void arrive_for_copies(Warp& warp, const Op& op, Mask lanes) {
  Access access;
  if (!(*static_cast<const Resolver*>(op.extra))(warp, op, lanes, 8, access)) return;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    bool valid = true;
    change_mbarrier(access.lane(lane, 8), valid,
                    [](Mbarrier& barrier) { return barrier.arrive(1); });
    if (valid) continue;
    return warp.fault(FaultKind::kIllegalInstruction, lane,
                      "a count of the mbarrier leaves its range");
  }
}

// Without .noinc one more arrival is expected, which then comes: nothing has changed.
void check_barrier(Warp& warp, const Op& op, Mask lanes) {
  Access access;
  (*static_cast<const Resolver*>(op.extra))(warp, op, lanes, 8, access);
}

Result<void> translate_arrive(Builder& builder, const ptx::Instruction& instruction,
                              Modifiers& modifiers) {
  const bool counted = modifiers.take("noinc");
  const bool shared = !modifiers.take_one_of({"shared", "shared::cta"}).empty();
  if (!modifiers.take("arrive") || !modifiers.take("b64")) return builder.error("has no type .b64");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1, 1));
  const Space space = shared ? Space::kShared : Space::kGenericShareable;
  EGPU_ASSIGN(const AddressSlot address, address_in(builder, instruction.operands[0], space));
  builder.emit({.handler = counted ? arrive_for_copies : check_barrier,
                .a = address.slot,
                .immediate = address.offset,
                .extra = static_cast<const void*>(builder.keep(resolver(space, address.wide)))});
  return {};
}

// commit_group, wait_group, wait_all: nothing is under way.
Result<void> translate_group(Builder& builder, const ptx::Instruction& instruction,
                             std::string_view action, Modifiers& modifiers) {
  if (action == "wait_group") modifiers.take("read");
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t count = action == "wait_group" ? 1 : 0;
  return builder.operands(instruction, count, count);
}

Result<void> translate(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (!modifiers.take("async")) return builder.error("is not cp.async");
  const bool bulk = modifiers.take("bulk");
  const std::string_view group = modifiers.take_one_of({"commit_group", "wait_group", "wait_all"});
  if (!group.empty()) return translate_group(builder, instruction, group, modifiers);
  if (bulk) return translate_bulk_copy(builder, instruction, modifiers);
  if (modifiers.take("mbarrier")) return translate_arrive(builder, instruction, modifiers);
  return translate_copy(builder, instruction, modifiers);
}

constexpr Translation kTable[] = {{"cp", translate}};

}  // namespace

TranslationTable copy_table() { return kTable; }

}  // namespace egpu::emu
