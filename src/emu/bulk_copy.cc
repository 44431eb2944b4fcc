#include "emu/bulk_copy.h"

#include <bit>

#include "emu/mbarrier.h"
#include "emu/memory_modifiers.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

constexpr unsigned kAlignment = 16;  // of addresses and sizes

// Op::extra.
struct BulkCopy {
  Space to_space = Space::kShared;
  Space from_space = Space::kShared;
  AddressSlot to;
  AddressSlot from;
  AddressSlot barrier;       // in shared memory; slot kNoSlot: tracked by groups
  Slot bytes = kNoSlot;      // 32 bits
  Slot blocks = kNoSlot;     // 16 bits, .multicast::cluster: ranks to copy to
  Slot byte_mask = kNoSlot;  // 16 bits, .cp_mask: which bytes of each 16
};

std::uint64_t address_of(Warp& warp, const AddressSlot& address, unsigned lane) {
  const auto offset = static_cast<std::uint64_t>(address.offset);
  if (address.wide) return lanes_of<std::uint64_t>(warp, address.slot)[lane] + offset;
  return static_cast<std::uint32_t>(lanes_of<std::uint32_t>(warp, address.slot)[lane] + offset);
}

// The shared address of the same offset in another block of the cluster.
std::uint64_t in_block(std::uint64_t shared_address, unsigned rank) {
  const std::uint64_t offset = shared_address & ((std::uint64_t{1} << kSharedRankShift) - 1);
  return (std::uint64_t{rank} + 1) << kSharedRankShift | offset;
}

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes, std::uint16_t mask) {
  if (mask == 0xffff) {
    std::memmove(to, from, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    if ((mask >> i % kAlignment & 1) != 0) to[i] = from[i];
  }
}

// False after a fault.
bool copy_to(Warp& warp, const Op& op, unsigned lane, std::uint64_t to, std::uint64_t barrier) {
  const auto& copy = *static_cast<const BulkCopy*>(op.extra);
  const std::uint32_t bytes = lanes_of<std::uint32_t>(warp, copy.bytes)[lane];
  const std::uint64_t from = address_of(warp, copy.from, lane);
  const auto resolve = [&](Space space, std::uint64_t address) {
    return resolve_lane(warp, op, lane, {space, address, bytes, kAlignment});
  };
  const std::byte* const source = resolve(copy.from_space, from);
  if (source == nullptr) return false;
  std::byte* const target = resolve(copy.to_space, to);
  if (target == nullptr) return false;
  std::uint16_t mask = 0xffff;
  if (copy.byte_mask != kNoSlot) mask = lanes_of<std::uint16_t>(warp, copy.byte_mask)[lane];
  copy_bytes(target, source, bytes, mask);
  if (copy.barrier.slot == kNoSlot) return true;
  std::byte* const object = resolve_lane(warp, op, lane, {Space::kShared, barrier, 8, 8});
  if (object == nullptr) return false;
  bool valid = true;
  change_mbarrier(object, valid, [&](Mbarrier& state) { return state.complete(bytes); });
  if (!valid) {
    warp.fault(FaultKind::kIllegalInstruction, lane, "a count of the mbarrier leaves its range");
  }
  return valid;
}

bool copy_for_lane(Warp& warp, const Op& op, unsigned lane) {
  const auto& copy = *static_cast<const BulkCopy*>(op.extra);
  if (lanes_of<std::uint32_t>(warp, copy.bytes)[lane] % kAlignment != 0) {
    warp.fault(FaultKind::kIllegalInstruction, lane, "the size is no multiple of 16");
    return false;
  }
  const std::uint64_t to = address_of(warp, copy.to, lane);
  const bool tracked = copy.barrier.slot != kNoSlot;
  const std::uint64_t barrier = tracked ? address_of(warp, copy.barrier, lane) : 0;
  if (copy.blocks == kNoSlot) return copy_to(warp, op, lane, to, barrier);
  for (unsigned ranks = lanes_of<std::uint16_t>(warp, copy.blocks)[lane]; ranks != 0;
       ranks &= ranks - 1) {
    const auto rank = static_cast<unsigned>(std::countr_zero(ranks));
    if (!copy_to(warp, op, lane, in_block(to, rank), in_block(barrier, rank))) return false;
  }
  return true;
}

void copy_bulk(Warp& warp, const Op& op, Mask lanes) {
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    if (!copy_for_lane(warp, op, std::countr_zero(rest))) return;
  }
}

// The spaces are written in the order of the copy: to, then from.
Result<void> take_spaces(Builder& builder, const ptx::Instruction& instruction,
                         Modifiers& modifiers, BulkCopy& copy) {
  std::vector<std::string_view> spaces;
  for (const std::string_view part : instruction.opcode.modifiers()) {
    const bool space = part == "global" || part == "shared::cta" || part == "shared::cluster";
    if (space && modifiers.take(part)) spaces.push_back(part);
  }
  if (spaces.size() != 2) return builder.error("does not name two state spaces");
  copy.to_space = spaces[0] == "global" ? Space::kGlobal : Space::kShared;
  copy.from_space = spaces[1] == "global" ? Space::kGlobal : Space::kShared;
  const bool possible = spaces[1] != "shared::cluster" &&
                        (copy.to_space == Space::kShared || copy.from_space == Space::kShared) &&
                        !(spaces[0] == "shared::cta" && spaces[1] == "shared::cta");
  if (!possible) return builder.error("no copy between these state spaces exists");
  return {};
}

// [to], [from], bytes{, [barrier]}{, blocks}{, policy}{, byte mask}
Result<void> translate_copy(Builder& builder, const ptx::Instruction& instruction,
                            Modifiers& modifiers) {
  BulkCopy copy;
  EGPU_TRY(take_spaces(builder, instruction, modifiers, copy));
  const bool tracked = copy.to_space == Space::kShared;
  if (!modifiers.take(tracked ? "mbarrier::complete_tx::bytes" : "bulk_group")) {
    return builder.error("is not tracked as such copies are");
  }
  const bool multicast = tracked && modifiers.take("multicast::cluster");
  const bool policy = modifiers.take("L2::cache_hint");
  const bool masked = !tracked && modifiers.take("cp_mask");
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t count =
      3 + (tracked ? 1 : 0) + (multicast ? 1 : 0) + (policy ? 1 : 0) + (masked ? 1 : 0);
  EGPU_TRY(builder.operands(instruction, count, count));
  const ptx::Operand* next = instruction.operands.data();
  EGPU_ASSIGN(copy.to, address_in(builder, *next++, copy.to_space));
  EGPU_ASSIGN(copy.from, address_in(builder, *next++, copy.from_space));
  EGPU_ASSIGN(copy.bytes, builder.read(*next++, kB32));
  if (tracked) {
    EGPU_ASSIGN(copy.barrier, address_in(builder, *next++, Space::kShared));
  }
  if (multicast) {
    EGPU_ASSIGN(copy.blocks, builder.read(*next++, kB16));
  }
  if (policy) EGPU_TRY(check_cache_policy(builder, *next++));
  if (masked) {
    EGPU_ASSIGN(copy.byte_mask, builder.read(*next++, kB16));
  }
  builder.emit({.handler = copy_bulk, .extra = builder.keep(copy)});
  return {};
}

}  // namespace

Result<void> translate_bulk_copy(Builder& builder, const ptx::Instruction& instruction,
                                 Modifiers& modifiers) {
  if (modifiers.take("tensor")) return builder.error("copies of tensors are not known");
  if (!modifiers.take("prefetch")) return translate_copy(builder, instruction, modifiers);
  modifiers.take("L2");
  modifiers.take("global");
  const std::size_t count = modifiers.take("L2::cache_hint") ? 3 : 2;
  EGPU_TRY(builder.finish(modifiers));
  return builder.operands(instruction, count, count);
}

}  // namespace egpu::emu
