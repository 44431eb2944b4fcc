#include "emu/load_store.h"

#include <bit>

#include "emu/element.h"

namespace egpu::emu {
namespace {

template <Space space, class A, class M, class R>
void load(Warp& warp, const Op& op, Mask lanes) {
  Access access;
  if (!resolve<space, A>(warp, op, lanes, sizeof(M), access)) return;
  R* out = lanes_of<R>(warp, op.dst);
  const auto element = [&](unsigned i) {
    return widened<M, R>(plain_load<M>(access.lane(i, sizeof(M))));
  };
  if (access.pattern == Access::Pattern::kUniform) {
    const R value = widened<M, R>(plain_load<M>(access.first));
    set_lanes<R>(warp, op.dst, lanes, [&](unsigned) { return value; });
  } else if (lanes != kAllLanes) {
    for_each_lane(lanes, [&](unsigned i) { out[i] = element(i); });
  } else if (access.pattern == Access::Pattern::kScattered) {
    for (unsigned i = 0; i < kLanes; ++i) out[i] = element(i);
  } else if (std::is_same_v<M, R>) {
    std::memcpy(out, access.first, kLanes * sizeof(M));
  } else {
    const std::byte* from = access.first;
    for (unsigned i = 0; i < kLanes; ++i) {
      out[i] = widened<M, R>(plain_load<M>(from + i * sizeof(M)));
    }
  }
}

template <Space space, class A, class M, class R>
void store(Warp& warp, const Op& op, Mask lanes) {
  Access access;
  if (!resolve<space, A>(warp, op, lanes, sizeof(M), access)) return;
  const R* in = lanes_of<R>(warp, op.b);
  if (access.pattern == Access::Pattern::kUniform) {
    const unsigned last = std::bit_width(lanes) - 1;
    plain_store<M>(access.first, narrowed<M, R>(in[last]));
  } else if (lanes != kAllLanes || access.pattern == Access::Pattern::kScattered) {
    for_each_lane(lanes, [&](unsigned i) {
      plain_store<M>(access.lane(i, sizeof(M)), narrowed<M, R>(in[i]));
    });
  } else if (std::is_same_v<M, R>) {
    std::memcpy(access.first, in, kLanes * sizeof(M));
  } else {
    std::byte* to = access.first;
    for (unsigned i = 0; i < kLanes; ++i) {
      plain_store<M>(to + i * sizeof(M), narrowed<M, R>(in[i]));
    }
  }
}

template <Direction direction, Space space, class A>
Handler pick(ElementShape shape) {
  if (direction == Direction::kStore) shape.is_signed = false;
  return for_shape(shape, []<class M, class R>() -> Handler {
    if constexpr (direction == Direction::kLoad) {
      return load<space, A, M, R>;
    } else if constexpr (!std::is_signed_v<M>) {
      return store<space, A, M, R>;
    } else {
      return nullptr;
    }
  });
}

template <Direction direction>
Handler pick(Space space, bool wide, ElementShape shape) {
  using Narrow = std::uint32_t;
  using Full = std::uint64_t;
  switch (space) {
    case Space::kGlobal:
      return pick<direction, Space::kGlobal, Full>(shape);
    case Space::kShared:
      return wide ? pick<direction, Space::kShared, Full>(shape)
                  : pick<direction, Space::kShared, Narrow>(shape);
    case Space::kLocal:
      return wide ? pick<direction, Space::kLocal, Full>(shape)
                  : pick<direction, Space::kLocal, Narrow>(shape);
    case Space::kGeneric:
      return pick<direction, Space::kGeneric, Full>(shape);
    case Space::kGenericShareable:
      break;
  }
  return nullptr;
}

}  // namespace

Handler load_handler(Space space, bool wide, ElementShape shape) {
  return pick<Direction::kLoad>(space, wide, shape);
}
Handler store_handler(Space space, bool wide, ElementShape shape) {
  return pick<Direction::kStore>(space, wide, shape);
}

}  // namespace egpu::emu
