#include "emu/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emu/groups.h"
#include "emu/kernel.h"
#include "emu/lanes.h"
#include "emu/layout.h"
#include "emu/symbols.h"

namespace egpu::emu {
namespace {

// What a call takes of local memory besides its variables, so that endless recursion ends.
constexpr std::uint64_t kLocalOfCall = 16;
// Of all calls that one host thread runs at a time.
constexpr std::uint64_t kMostFrameBytes = std::uint64_t{4} << 30;
// What a call counts as, in Ops, so that endless recursion in a loop of calls is seen.
constexpr std::int64_t kCostOfCall = 8;

template <std::size_t kBytes>
void copy_lanes(Mask lanes, const std::byte* from, std::size_t from_stride, std::byte* to,
                std::size_t to_stride) {
  for_each_lane(lanes, [=](unsigned lane) {
    std::memcpy(to + lane * to_stride, from + lane * from_stride, kBytes);
  });
}

void copy(Mask lanes, const std::byte* from_file, const ParameterSlot& from, std::byte* to_file,
          const ParameterSlot& to) {
  const std::byte* const source = from_file + from.slot;
  std::byte* const target = to_file + to.slot;
  if (lanes == kAllLanes && from.stride == to.stride) {
    std::memcpy(target, source, std::size_t{from.stride} * kLanes);
  } else if (from.bytes == 4) {
    copy_lanes<4>(lanes, source, from.stride, target, to.stride);
  } else if (from.bytes == 8) {
    copy_lanes<8>(lanes, source, from.stride, target, to.stride);
  } else {
    for_each_lane(lanes, [&](unsigned lane) {
      std::memcpy(target + std::size_t{lane} * to.stride, source + std::size_t{lane} * from.stride,
                  from.bytes);
    });
  }
}

bool agree(const std::vector<ParameterSlot>& a, const std::vector<ParameterSlot>& b) {
  return std::ranges::equal(a, b, {}, &ParameterSlot::bytes, &ParameterSlot::bytes);
}

unsigned first_lane(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

void enter(Warp& warp, const Op& op, const CallSite& site, const Code& callee, Mask lanes) {
  Frame* const caller = warp.frame;
  if (!agree(site.parameters, callee.parameters) || !agree(site.results, callee.results))
    return warp.fault(FaultKind::kIllegalInstruction, first_lane(lanes),
                      fmt::format("function {} has other parameters or results", callee.name));
  const std::uint64_t local_offset =
      caller->local_offset + round_up(caller->local_bytes, kLocalOfCall) + kLocalOfCall;
  if (local_offset + callee.local_bytes > warp.block->local_bytes ||
      warp.block->frames->bytes() > kMostFrameBytes)
    return warp.fault(FaultKind::kStackOverflow, first_lane(lanes),
                      fmt::format("call of {}, {} calls deep", callee.name, caller->depth + 1));
  const Mask others = warp.active & ~lanes;
  if (others != 0) add_group(warp, caller, warp.next, others);
  Frame* const frame = make_frame(warp, callee, lanes, local_offset);
  frame->caller = caller;
  frame->call = &op;
  frame->depth = caller->depth + 1;
  for (std::size_t i = 0; i < site.parameters.size(); ++i)
    copy(lanes, caller->registers, site.parameters[i], frame->registers, callee.parameters[i]);
  warp.frame = frame;
  warp.active = lanes;
  warp.next = callee.ops.data();
  warp.credit -= kCostOfCall;
  if (warp.credit < 0) warp.running = false;
}

}  // namespace

Frame* make_frame(Warp& warp, const Code& code, Mask lanes, std::uint64_t local_offset) {
  Frame* const frame = warp.block->frames->take(code);
  frame->caller = nullptr;
  frame->call = nullptr;
  frame->lanes = lanes;
  frame->depth = 0;
  frame->local_offset = local_offset;
  frame->local_bytes = code.local_bytes;
  warp.registers = frame->registers;
  for (const SpecialSlot& slot : code.specials)
    read_special_register(*slot.special, warp, slot.slot, slot.bits, kAllLanes);
  for (const LocalSlot& slot : code.locals) {
    const std::uint64_t address = local_offset + slot.offset;
    set_lanes<std::uint64_t>(warp, slot.slot, kAllLanes, [address](unsigned) { return address; });
  }
  return frame;
}

void call(Warp& warp, const Op& op, Mask lanes) {
  const auto& site = *static_cast<const CallSite*>(op.extra);
  enter(warp, op, site, *site.callee, lanes);
}

// Lanes that call something else than the first one execute the Op again, on their own.
void call_pointer(Warp& warp, const Op& op, Mask lanes) {
  const auto* const pointers = lanes_of<std::uint64_t>(warp, op.a);
  const std::uint64_t pointer = pointers[first_lane(lanes)];
  Mask same = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    if (pointers[lane] == pointer) same |= Mask{1} << lane;
  });
  const std::uint64_t index = (pointer - kFunctionWindow) / kFunctionStep;
  const auto& functions = warp.block->launch->kernel.by_index;
  if (pointer % kFunctionStep != 0 || index >= functions.size() || functions[index] == nullptr)
    return warp.fault(FaultKind::kInvalidPc, first_lane(lanes), fmt::format("{:#x}", pointer));
  if (same != lanes) {
    add_group(warp, warp.frame, &op, lanes & ~same);
    warp.active &= ~(lanes & ~same);
  }
  enter(warp, op, *static_cast<const CallSite*>(op.extra), *functions[index], same);
}

void allocate_local(Warp& warp, const Op& op, Mask lanes) {
  Frame& frame = *warp.frame;
  const auto* const sizes = lanes_of<std::uint64_t>(warp, op.a);
  std::uint64_t size = 0;
  for_each_lane(lanes, [&](unsigned lane) { size = std::max(size, sizes[lane]); });
  const std::uint64_t first =
      round_up(frame.local_offset + frame.local_bytes, static_cast<std::uint64_t>(op.immediate));
  const std::uint64_t limit = warp.block->local_bytes;
  if (first > limit || size > limit - first)
    return warp.fault(FaultKind::kStackOverflow, first_lane(lanes),
                      fmt::format("alloca of {} bytes", size));
  frame.local_bytes = first + size - frame.local_offset;
  set_lanes<std::uint64_t>(warp, op.dst, lanes, [first](unsigned) { return first; });
}

void return_to_caller(Warp& warp, Mask lanes) {
  Frame* const frame = warp.frame;
  Frame* const caller = frame->caller;
  const auto& site = *static_cast<const CallSite*>(frame->call->extra);
  for (std::size_t i = 0; i < site.results.size(); ++i)
    copy(lanes, frame->registers, frame->code->results[i], caller->registers, site.results[i]);
  const Op* const next = frame->call + 1;
  frame->lanes &= ~lanes;
  const Mask others = warp.active & ~lanes;
  if (others != 0) {
    warp.active = others;
    return add_group(warp, caller, next, lanes);
  }
  warp.active = lanes;
  warp.frame = caller;
  warp.registers = caller->registers;
  warp.next = next;
  if (frame->lanes == 0) warp.block->frames->give_back(frame);
  if (warp.group_count != 0) regroup(warp);
}

}  // namespace egpu::emu
