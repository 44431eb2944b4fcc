#include "emu/access.h"

#include <fmt/format.h>

namespace egpu::emu {
namespace {

std::byte* host_pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

bool fits(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

// Each null where there are no such bytes.

// In the block's own memory, or in that of the block of its cluster that the address names.
std::byte* in_shared(const Block& block, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t rank = address >> kSharedRankShift;
  const std::uint64_t offset = address & ((std::uint64_t{1} << kSharedRankShift) - 1);
  if (rank > block.cluster.size()) return nullptr;
  const Block& owner = rank == 0 ? block : *block.cluster[rank - 1];
  return fits(offset, bytes, owner.shared_bytes) ? owner.shared + offset : nullptr;
}

std::byte* in_local(const Warp& warp, std::uint64_t offset, std::uint64_t bytes, unsigned lane) {
  const Block& block = *warp.block;
  if (!fits(offset, bytes, block.local_bytes)) return nullptr;
  return block.local + (std::uint64_t{warp.index} * kLanes + lane) * block.local_bytes + offset;
}

std::byte* in_parameters(Launch& launch, std::uint64_t offset, std::uint64_t bytes) {
  return fits(offset, bytes, launch.parameters.size()) ? launch.parameters.data() + offset
                                                       : nullptr;
}

std::byte* in_global(const Block& block, const Op& op, std::uint64_t address, std::uint64_t bytes) {
  const bool valid = block.ranges->find(op.place, address).contains(address, bytes);
  return valid ? host_pointer(address) : nullptr;
}

bool in_window(std::uint64_t address, std::uint64_t base) { return address - base < kWindowBytes; }

std::byte* find_generic(Warp& warp, const Op& op, unsigned lane, const LaneAccess& access) {
  const std::uint64_t address = access.address;
  if (in_window(address, kSharedWindow)) {
    return in_shared(*warp.block, address - kSharedWindow, access.bytes);
  }
  if (in_window(address, kLocalWindow)) {
    return in_local(warp, address - kLocalWindow, access.bytes, lane);
  }
  if (in_window(address, kParameterWindow)) {
    return in_parameters(*warp.block->launch, address - kParameterWindow, access.bytes);
  }
  return in_global(*warp.block, op, address, access.bytes);
}

std::byte* find(Warp& warp, const Op& op, unsigned lane, const LaneAccess& access) {
  switch (access.space) {
    case Space::kShared:
      return in_shared(*warp.block, access.address, access.bytes);
    case Space::kLocal:
      return in_local(warp, access.address, access.bytes, lane);
    case Space::kGlobal:
      return in_global(*warp.block, op, access.address, access.bytes);
    case Space::kGeneric:
    case Space::kGenericWritable:
    case Space::kGenericShareable:
      return find_generic(warp, op, lane, access);
  }
  return nullptr;
}

const char* name_of(Space space) {
  switch (space) {
    case Space::kShared:
      return "shared ";
    case Space::kLocal:
      return "local ";
    default:
      return "";
  }
}

template <Space space, class T>
bool resolve_all(Warp& warp, const Op& op, Mask lanes, unsigned bytes, Access& access) {
  return resolve<space, T>(warp, op, lanes, bytes, access);
}

}  // namespace

Resolver resolver(Space space, bool wide) {
  switch (space) {
    case Space::kGlobal:
      return resolve_all<Space::kGlobal, std::uint64_t>;
    case Space::kShared:
      return wide ? resolve_all<Space::kShared, std::uint64_t>
                  : resolve_all<Space::kShared, std::uint32_t>;
    case Space::kLocal:
      return wide ? resolve_all<Space::kLocal, std::uint64_t>
                  : resolve_all<Space::kLocal, std::uint32_t>;
    case Space::kGeneric:
      return resolve_all<Space::kGeneric, std::uint64_t>;
    case Space::kGenericWritable:
      return resolve_all<Space::kGenericWritable, std::uint64_t>;
    case Space::kGenericShareable:
      return resolve_all<Space::kGenericShareable, std::uint64_t>;
  }
  return nullptr;
}

std::byte* resolve_lane(Warp& warp, const Op& op, unsigned lane, const LaneAccess& access) {
  const auto fault = [&](FaultKind kind) -> std::byte* {
    warp.fault(kind, lane,
               fmt::format("{}address {:#x}, {} byte{}", name_of(access.space), access.address,
                           access.bytes, access.bytes == 1 ? "" : "s"));
    return nullptr;
  };
  if (access.address % access.alignment != 0) return fault(FaultKind::kMisalignedAddress);
  const bool local = in_window(access.address, kLocalWindow);
  const bool parameter = in_window(access.address, kParameterWindow);
  if ((access.space == Space::kGenericShareable && (local || parameter)) ||
      (access.space == Space::kGenericWritable && parameter)) {
    return fault(FaultKind::kInvalidAddressSpace);
  }
  std::byte* const found = find(warp, op, lane, access);
  return found != nullptr ? found : fault(FaultKind::kIllegalAddress);
}

template <class T>
bool access_detail::resolve_each(Warp& warp, Space space, const Op& op, Mask lanes, unsigned bytes,
                                 Access& access) {
  const T* address = lanes_of<T>(warp, op.a);
  access.pattern = Access::Pattern::kScattered;
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const T one = address[lane] + static_cast<T>(op.immediate);
    std::byte* const found = resolve_lane(
        warp, op, lane, {.space = space, .address = one, .bytes = bytes, .alignment = bytes});
    if (found == nullptr) return false;
    access.at[lane] = reinterpret_cast<std::uintptr_t>(found);
  }
  return true;
}

template bool access_detail::resolve_each<std::uint32_t>(Warp&, Space, const Op&, Mask, unsigned,
                                                         Access&);
template bool access_detail::resolve_each<std::uint64_t>(Warp&, Space, const Op&, Mask, unsigned,
                                                         Access&);

}  // namespace egpu::emu
