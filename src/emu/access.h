// Where the lanes' accesses to memory go in this process.
//
// A handler calls resolve() with the bytes each lane accesses, or first resolve_simple(). Nearly
// always all lanes access the same address, or consecutive ones, or at least one window (a range of
// Memory, the block's shared memory, the threads' local memory): that is checked for all lanes at
// once, in loops that become vector instructions. Whatever else there is (lanes in several windows,
// memory of another block of the cluster, faults) goes lane by lane through resolve_each().
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "emu/lanes.h"
#include "emu/range_cache.h"
#include "emu/warp.h"

namespace egpu::emu {

// Constants are read through global addresses.
enum class Space : std::uint8_t {
  kGlobal,
  kShared,
  kLocal,
  kGeneric,
  kGenericWritable,   // not the launch's parameters
  kGenericShareable,  // neither those nor local memory: atomic operations
};
constexpr bool is_generic(Space space) { return space >= Space::kGeneric; }

struct Access {
  enum class Pattern : std::uint8_t { kUniform, kConsecutive, kScattered };

  Pattern pattern = Pattern::kScattered;
  std::byte* first = nullptr;  // uniform: of every lane; consecutive: of lane 0, active or not
  alignas(64) std::uint64_t at[kLanes];  // scattered: of each active lane

  std::byte* lane(unsigned i, unsigned bytes) const {
    switch (pattern) {
      case Pattern::kUniform:
        return first;
      case Pattern::kConsecutive:
        return first + std::size_t{i} * bytes;
      case Pattern::kScattered:
        break;
    }
    return reinterpret_cast<std::byte*>(at[i]);  // NOLINT(performance-no-int-to-ptr)
  }
};

// Addresses that are valid together.
struct Window {
  std::uint64_t first = 0;  // as the program addresses it
  std::uint64_t bytes = 0;
  std::uint64_t host = 0;         // of `first`, for lane 0
  std::uint64_t lane_stride = 0;  // what each further lane adds to it: local memory
};

// One access, for what is not the same in all lanes.
struct LaneAccess {
  Space space = Space::kGeneric;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  unsigned alignment = 1;
};
// Where it goes for this lane, or null after a fault.
std::byte* resolve_lane(Warp& warp, const Op& op, unsigned lane, const LaneAccess& access);

// resolve() for a space and a width of addresses that are not known before the program is.
using Resolver = bool (*)(Warp& warp, const Op& op, Mask lanes, unsigned bytes, Access& access);
Resolver resolver(Space space, bool wide);

namespace access_detail {

template <class T>
bool resolve_each(Warp& warp, Space space, const Op& op, Mask lanes, unsigned bytes,
                  Access& access);
extern template bool resolve_each<std::uint32_t>(Warp&, Space, const Op&, Mask, unsigned, Access&);
extern template bool resolve_each<std::uint64_t>(Warp&, Space, const Op&, Mask, unsigned, Access&);

template <Space space, class T>
bool resolve_any(Warp& warp, const Op& op, Mask lanes, unsigned bytes, Access& access);

inline Window shared_window(const Block& block) {
  return {0, block.shared_bytes, reinterpret_cast<std::uintptr_t>(block.shared), 0};
}
inline Window local_window(const Warp& warp) {
  const Block& block = *warp.block;
  const std::uint64_t thread = std::uint64_t{warp.index} * kLanes;
  return {0, block.local_bytes,
          reinterpret_cast<std::uintptr_t>(block.local) + thread * block.local_bytes,
          block.local_bytes};
}

// The window that `address` lies in; empty where it lies in none of this block's.
template <Space space>
Window window_of(Warp& warp, const Op& op, std::uint64_t address) {
  if constexpr (space == Space::kShared) return shared_window(*warp.block);
  if constexpr (space == Space::kLocal) return local_window(warp);
  if constexpr (is_generic(space)) {
    if (address - kParameterWindow < kWindowBytes) return {};
    if (address - kSharedWindow < kWindowBytes) {
      Window window = shared_window(*warp.block);
      window.first = kSharedWindow;
      return window;
    }
    if (space != Space::kGenericShareable && address - kLocalWindow < kWindowBytes) {
      Window window = local_window(warp);
      window.first = kLocalWindow;
      return window;
    }
  }
  const Range range = warp.block->ranges->find(op.place, address);
  return {range.first, range.end - range.first, range.first, 0};
}

template <class T>
bool all_equal(const T* address, T expected) {
  T differ = 0;
  for (unsigned i = 0; i < kLanes; ++i) differ |= address[i] ^ expected;
  return differ == 0;
}
template <class T>
bool all_consecutive(const T* address, T expected, unsigned bytes) {
  T differ = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    differ |= address[i] ^ static_cast<T>(expected + T{i} * bytes);
  }
  return differ == 0;
}

}  // namespace access_detail

// The one address of all lanes, or that of lane 0 where they access consecutive ones; null for
// everything else. Most accesses of full warps are so.
struct SimpleAccess {
  std::byte* first = nullptr;
  bool consecutive = false;
};
template <Space space, class T>
[[gnu::always_inline]] inline SimpleAccess resolve_simple(Warp& warp, const Op& op,
                                                          unsigned bytes) {
  namespace detail = access_detail;
  if constexpr (space == Space::kLocal) return {};
  const T* address = lanes_of<T>(warp, op.a);
  const T start = address[0] + static_cast<T>(op.immediate);
  const bool consecutive = address[1] - address[0] == bytes;
  if (consecutive ? !detail::all_consecutive<T>(address, address[0], bytes)
                  : !detail::all_equal<T>(address, address[0])) {
    return {};
  }
  const Window window = detail::window_of<space>(warp, op, start);
  const std::uint64_t into = start - window.first;
  const std::uint64_t span = consecutive ? std::uint64_t{kLanes} * bytes : bytes;
  const bool inside = into <= window.bytes && span <= window.bytes - into;
  if (!inside || start % bytes != 0 || window.lane_stride != 0) return {};
  return {reinterpret_cast<std::byte*>(window.host + into),  // NOLINT(performance-no-int-to-ptr)
          consecutive};
}

// The address of each lane of `lanes`: op.a, registers of type T (32 or 64 bits), and the offset
// op.immediate. `bytes` is a power of two and the alignment that is asked for. False after a fault.
template <Space space, class T>
bool resolve(Warp& warp, const Op& op, Mask lanes, unsigned bytes, Access& access) {
  if (lanes == kAllLanes) {
    const SimpleAccess simple = resolve_simple<space, T>(warp, op, bytes);
    if (simple.first != nullptr) {
      access.pattern =
          simple.consecutive ? Access::Pattern::kConsecutive : Access::Pattern::kUniform;
      access.first = simple.first;
      return true;
    }
  }
  return access_detail::resolve_any<space, T>(warp, op, lanes, bytes, access);
}

namespace access_detail {

// All ones for each lane of `lanes`, in words of T.
template <class T>
inline constexpr auto kLaneBits = [] {
  std::array<T, kLanes> bits{};
  for (unsigned i = 0; i < kLanes; ++i) bits[i] = T{1} << i;
  return bits;
}();

template <Space space, class T>
[[gnu::noinline]] bool resolve_any(Warp& warp, const Op& op, Mask lanes, unsigned bytes,
                                   Access& access) {
  const T* address = lanes_of<T>(warp, op.a);
  const T offset = static_cast<T>(op.immediate);
  const unsigned lead = std::countr_zero(lanes);
  const T start = address[lead] + offset;
  const Window window = window_of<space>(warp, op, start);
  if (window.bytes < bytes) return resolve_each<T>(warp, space, op, lanes, bytes, access);
  const T first = static_cast<T>(window.first);
  const T last = static_cast<T>(window.bytes - bytes);
  T wrong = 0;
  access.pattern = Access::Pattern::kScattered;
  if (lanes == kAllLanes) {
    for (unsigned i = 0; i < kLanes; ++i) {
      const T one = address[i] + offset;
      const T into = one - first;
      wrong |= (one & (bytes - 1)) | static_cast<T>(into > last ? 1 : 0);
      access.at[i] = window.host + i * window.lane_stride + into;
    }
    return wrong == 0 || resolve_each<T>(warp, space, op, lanes, bytes, access);
  }
  T unordered = 0;
  T unequal = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const T bit = kLaneBits<T>[i];
    const T active = (static_cast<T>(lanes) & bit) == bit ? ~T{0} : T{0};
    const T one = address[i] + offset;
    const T into = one - first;
    wrong |= ((one & (bytes - 1)) | static_cast<T>(into > last ? 1 : 0)) & active;
    unordered |= (one ^ static_cast<T>(start + (i - lead) * bytes)) & active;
    unequal |= (one ^ start) & active;
    access.at[i] = window.host + i * window.lane_stride + into;
  }
  if (wrong != 0) return resolve_each<T>(warp, space, op, lanes, bytes, access);
  if (window.lane_stride != 0) return true;
  // NOLINTBEGIN(performance-no-int-to-ptr)
  if (unordered == 0) {
    access.pattern = Access::Pattern::kConsecutive;
    access.first = reinterpret_cast<std::byte*>(access.at[lead] - std::uint64_t{lead} * bytes);
  } else if (unequal == 0) {
    access.pattern = Access::Pattern::kUniform;
    access.first = reinterpret_cast<std::byte*>(access.at[lead]);
  }
  // NOLINTEND(performance-no-int-to-ptr)
  return true;
}

}  // namespace access_detail
}  // namespace egpu::emu
