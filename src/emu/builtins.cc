#include "emu/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emu/access.h"
#include "emu/device_printf.h"
#include "emu/heap.h"
#include "emu/lanes.h"
#include "emu/warp.h"

namespace egpu::emu {
namespace {

constexpr std::size_t kLongestText = 1 << 16;

const CallSite& site_of(const Op& op) { return *static_cast<const CallSite*>(op.extra); }

std::uint64_t argument(const Warp& warp, const Op& op, std::size_t index, unsigned lane) {
  const ParameterSlot& slot = site_of(op).parameters[index];
  std::uint64_t value = 0;
  std::memcpy(&value, warp.registers + slot.slot + std::size_t{lane} * slot.stride, slot.bytes);
  return value;
}

void set_result(Warp& warp, const Op& op, unsigned lane, std::uint64_t value) {
  const ParameterSlot& slot = site_of(op).results.front();
  std::memcpy(warp.registers + slot.slot + std::size_t{lane} * slot.stride, &value, slot.bytes);
}

// Bytes at a generic address; nothing after a fault.
std::optional<std::uint64_t> read(Warp& warp, const Op& op, unsigned lane, std::uint64_t address,
                                  unsigned bytes) {
  const std::byte* const at =
      resolve_lane(warp, op, lane, {Space::kGeneric, address, bytes, bytes});
  if (at == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, at, bytes);
  return value;
}

std::optional<std::string> read_text(Warp& warp, const Op& op, unsigned lane,
                                     std::uint64_t address) {
  if (address == 0) return "(null)";
  std::string text;
  while (text.size() < kLongestText) {
    const auto next = read(warp, op, lane, address + text.size(), 1);
    if (!next) return std::nullopt;
    if (*next == 0) break;
    text += static_cast<char>(*next);
  }
  return text;
}

// vprintf(format, arguments)
void print(Warp& warp, const Op& op, Mask lanes) {
  std::string out;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t arguments = argument(warp, op, 1, lane);
    const PrintfSource source{
        .argument = [&](std::uint64_t offset,
                        unsigned bytes) { return read(warp, op, lane, arguments + offset, bytes); },
        .text = [&](std::uint64_t address) { return read_text(warp, op, lane, address); }};
    const auto format = read_text(warp, op, lane, argument(warp, op, 0, lane));
    if (!format) return;
    const auto printed = format_printf(*format, source);
    if (!printed) return;
    out += printed->text;
    set_result(warp, op, lane, printed->arguments);
  });
  std::fwrite(out.data(), 1, out.size(), stdout);
}

// __assertfail(condition, file, line, function, size of a character)
void fail_assertion(Warp& warp, const Op& op, Mask lanes) {
  const Dim3& id = warp.block->id;
  const Dim3& extent = warp.block->launch->config.block;
  for_each_lane(lanes, [&](unsigned lane) {
    const auto condition = read_text(warp, op, lane, argument(warp, op, 0, lane));
    const auto file = read_text(warp, op, lane, argument(warp, op, 1, lane));
    const auto function = read_text(warp, op, lane, argument(warp, op, 3, lane));
    if (!condition || !file || !function) return;
    const std::uint32_t thread = warp.index * kLanes + lane;
    fmt::print(stderr, "{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.\n",
               *file, argument(warp, op, 2, lane), *function, id[0], id[1], id[2],
               thread % extent[0], thread / extent[0] % extent[1], thread / extent[0] / extent[1],
               *condition);
    warp.fault(FaultKind::kAssert, lane,
               fmt::format("{}:{}: {}", *file, argument(warp, op, 2, lane), *condition));
  });
}

void allocate(Warp& warp, const Op& op, Mask lanes) {
  for_each_lane(lanes, [&](unsigned lane) {
    set_result(warp, op, lane,
               warp.block->launch->memory.heap().allocate(argument(warp, op, 0, lane)));
  });
}

void release(Warp& warp, const Op& op, Mask lanes) {
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address = argument(warp, op, 0, lane);
    if (address == 0 || warp.block->launch->memory.heap().release(address)) return;
    warp.fault(FaultKind::kIllegalAddress, lane, fmt::format("free({:#x})", address));
  });
}

constexpr unsigned kOfPrintf[] = {8, 8};
constexpr unsigned kOfAssertFail[] = {8, 8, 4, 8, 8};
constexpr unsigned kOfMalloc[] = {8};
constexpr unsigned kOfFree[] = {8};

constexpr Builtin kBuiltins[] = {
    {"vprintf", kOfPrintf, 4, print},
    {"__assertfail", kOfAssertFail, 0, fail_assertion},
    {"malloc", kOfMalloc, 8, allocate},
    {"free", kOfFree, 0, release},
};

}  // namespace

const Builtin* find_builtin(std::string_view name) {
  const auto* const found = std::ranges::find(kBuiltins, name, &Builtin::name);
  return found == std::end(kBuiltins) ? nullptr : found;
}

}  // namespace egpu::emu
