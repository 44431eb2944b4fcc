#include "emu/element.h"
#include "emu/load_store.h"

namespace egpu::emu {
namespace {

constexpr unsigned kWidest = 32;  // bytes of a lane's elements

// `bytes` of each lane at once.
template <Direction direction, unsigned bytes>
void copy_whole(const Access& access, Mask lanes, std::byte* buffer) {
  constexpr bool kLoad = direction == Direction::kLoad;
  if (lanes == kAllLanes && access.pattern == Access::Pattern::kConsecutive) {
    std::memcpy(kLoad ? buffer : access.first, kLoad ? access.first : buffer,
                std::size_t{kLanes} * bytes);
    return;
  }
  for_each_lane(lanes, [&](unsigned i) {
    std::byte* memory = access.lane(i, bytes);
    std::byte* lane = buffer + std::size_t{i} * bytes;
    std::memcpy(kLoad ? lane : memory, kLoad ? memory : lane, bytes);
  });
}

// Element by element.
template <Direction direction, class M, unsigned count>
void copy_strong(const Access& access, Mask lanes, std::byte* buffer) {
  constexpr unsigned kBytes = count * sizeof(M);
  for_each_lane(lanes, [&](unsigned i) {
    std::byte* memory = access.lane(i, kBytes);
    std::byte* lane = buffer + std::size_t{i} * kBytes;
    for (unsigned at = 0; at < kBytes; at += sizeof(M)) {
      if constexpr (direction == Direction::kLoad) {
        plain_store<M>(lane + at, atomic_load<M>(memory + at));
      } else {
        atomic_store<M>(memory + at, plain_load<M>(lane + at));
      }
    }
  });
}

template <class M, class R, unsigned count>
void to_registers(Warp& warp, const VectorAccess& access, Mask lanes, std::byte* buffer) {
  alignas(64) R elements[count][kLanes];
  // All at once, so that it becomes a few vector instructions for each row.
  for (unsigned i = 0; i < kLanes; ++i) {
    for (unsigned e = 0; e < count; ++e) {
      elements[e][i] = widened<M, R>(plain_load<M>(buffer + (i * count + e) * sizeof(M)));
    }
  }
  for (unsigned e = 0; e < count; ++e) {
    if (access.registers[e] == kNoSlot) continue;
    set_lanes<R>(warp, access.registers[e], lanes, [&](unsigned i) { return elements[e][i]; });
  }
}

template <class M, class R, unsigned count>
void from_registers(Warp& warp, const VectorAccess& access, Mask, std::byte* buffer) {
  alignas(64) R elements[count][kLanes];
  for (unsigned e = 0; e < count; ++e) {
    std::memcpy(elements[e], warp.registers + access.registers[e], sizeof elements[e]);
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    for (unsigned e = 0; e < count; ++e) {
      plain_store<M>(buffer + (i * count + e) * sizeof(M), narrowed<M, R>(elements[e][i]));
    }
  }
}

template <Direction direction>
VectorAccess::Copy pick_whole(unsigned bytes) {
  switch (bytes) {
    case 1:
      return copy_whole<direction, 1>;
    case 2:
      return copy_whole<direction, 2>;
    case 4:
      return copy_whole<direction, 4>;
    case 8:
      return copy_whole<direction, 8>;
    case 16:
      return copy_whole<direction, 16>;
    case kWidest:
      return copy_whole<direction, kWidest>;
    default:
      return nullptr;
  }
}

template <Direction direction, unsigned count>
VectorAccess::Copy pick_strong(unsigned memory_bits) {
  switch (memory_bits) {
    case 8:
      return copy_strong<direction, std::uint8_t, count>;
    case 16:
      return copy_strong<direction, std::uint16_t, count>;
    case 32:
      return copy_strong<direction, std::uint32_t, count>;
    case 64:
      return copy_strong<direction, std::uint64_t, count>;
    case 128:
      return copy_strong<direction, Wide, count>;
    default:
      return nullptr;
  }
}

template <Direction direction, unsigned count>
void fill(VectorAccess& access, ElementShape shape, bool strong) {
  if (access.bytes > kWidest) return;
  access.exchange = for_shape(shape, []<class M, class R>() -> VectorAccess::Exchange {
    return direction == Direction::kLoad ? to_registers<M, R, count> : from_registers<M, R, count>;
  });
  if (access.exchange == nullptr) return;
  access.copy = strong ? pick_strong<direction, count>(shape.memory_bits)
                       : pick_whole<direction>(access.bytes);
}

template <Direction direction>
void fill(VectorAccess& access, ElementShape shape, unsigned count, bool strong) {
  switch (count) {
    case 1:
      return fill<direction, 1>(access, shape, strong);
    case 2:
      return fill<direction, 2>(access, shape, strong);
    case 4:
      return fill<direction, 4>(access, shape, strong);
    case 8:
      return fill<direction, 8>(access, shape, strong);
    default:
      return;
  }
}

}  // namespace

VectorAccess vector_access(Direction direction, Space space, bool wide, ElementShape shape,
                           unsigned count, bool strong) {
  VectorAccess access{.bytes = shape.memory_bits / 8 * count, .resolve = resolver(space, wide)};
  if (direction == Direction::kLoad) {
    fill<Direction::kLoad>(access, shape, count, strong);
  } else {
    fill<Direction::kStore>(access, shape, count, strong);
  }
  return access;
}

void load_vector(Warp& warp, const Op& op, Mask lanes) {
  const auto& vector = *static_cast<const VectorAccess*>(op.extra);
  Access access;
  if (!vector.resolve(warp, op, lanes, vector.bytes, access)) return;
  alignas(64) std::byte buffer[std::size_t{kLanes} * kWidest];
  vector.copy(access, lanes, buffer);
  vector.exchange(warp, vector, lanes, buffer);
}

void store_vector(Warp& warp, const Op& op, Mask lanes) {
  const auto& vector = *static_cast<const VectorAccess*>(op.extra);
  Access access;
  if (!vector.resolve(warp, op, lanes, vector.bytes, access)) return;
  alignas(64) std::byte buffer[std::size_t{kLanes} * kWidest];
  vector.exchange(warp, vector, lanes, buffer);
  vector.copy(access, lanes, buffer);
}

}  // namespace egpu::emu
