#include "emu/load_store.h"

#include <immintrin.h>

#include "emu/element.h"

namespace egpu::emu {
namespace {

// Whether the processor moves chosen lanes of such elements at once.
template <class M, class R>
constexpr bool kMaskable = std::is_same_v<M, R> && (sizeof(M) == 4 || sizeof(M) == 8);

// f(index of the first lane, their mask as the vector instructions take it)
template <class M, class F>
void for_each_vector(Mask lanes, F&& f) {
  constexpr unsigned kCount = 32 / sizeof(M);
  for (unsigned first = 0; first < kLanes; first += kCount) {
    alignas(32) M mask[kCount];
    for (unsigned i = 0; i < kCount; ++i) mask[i] = M{0} - M{lanes >> (first + i) & 1};
    f(first, _mm256_load_si256(reinterpret_cast<const __m256i*>(mask)));
  }
}

template <class M>
void load_masked(M* out, const std::byte* from, Mask lanes) {
  for_each_vector<M>(lanes, [&](unsigned first, __m256i mask) {
    auto* const to = reinterpret_cast<__m256i*>(out + first);
    const __m256i old = _mm256_loadu_si256(to);
    if constexpr (sizeof(M) == 4) {
      const auto* at = reinterpret_cast<const int*>(from) + first;
      _mm256_storeu_si256(to, _mm256_blendv_epi8(old, _mm256_maskload_epi32(at, mask), mask));
    } else {
      const auto* at = reinterpret_cast<const long long*>(from) + first;
      _mm256_storeu_si256(to, _mm256_blendv_epi8(old, _mm256_maskload_epi64(at, mask), mask));
    }
  });
}

template <class M>
void store_masked(std::byte* to, const M* in, Mask lanes) {
  for_each_vector<M>(lanes, [&](unsigned first, __m256i mask) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + first));
    if constexpr (sizeof(M) == 4) {
      _mm256_maskstore_epi32(reinterpret_cast<int*>(to) + first, mask, values);
    } else {
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(to) + first, mask, values);
    }
  });
}

template <Space space, class A, class M, class R>
[[gnu::noinline]] void load_any(Warp& warp, const Op& op, Mask lanes) {
  Access access;
  if (!resolve<space, A>(warp, op, lanes, sizeof(M), access)) return;
  R* out = lanes_of<R>(warp, op.dst);
  if constexpr (kMaskable<M, R>) {
    if (access.pattern == Access::Pattern::kConsecutive) {
      return load_masked<M>(out, access.first, lanes);
    }
  }
  for_each_lane(
      lanes, [&](unsigned i) { out[i] = widened<M, R>(plain_load<M>(access.lane(i, sizeof(M)))); });
}

template <Space space, class A, class M, class R>
void load(Warp& warp, const Op& op, Mask lanes) {
  const SimpleAccess from =
      lanes == kAllLanes ? resolve_simple<space, A>(warp, op, sizeof(M)) : SimpleAccess{};
  if (from.first == nullptr) return load_any<space, A, M, R>(warp, op, lanes);
  R* out = lanes_of<R>(warp, op.dst);
  if (!from.consecutive) {
    const R value = widened<M, R>(plain_load<M>(from.first));
    for (unsigned i = 0; i < kLanes; ++i) out[i] = value;
  } else if constexpr (std::is_same_v<M, R>) {
    std::memcpy(out, from.first, kLanes * sizeof(M));
  } else {
    for (unsigned i = 0; i < kLanes; ++i) {
      out[i] = widened<M, R>(plain_load<M>(from.first + i * sizeof(M)));
    }
  }
}

template <Space space, class A, class M, class R>
[[gnu::noinline]] void store_any(Warp& warp, const Op& op, Mask lanes) {
  Access access;
  if (!resolve<space, A>(warp, op, lanes, sizeof(M), access)) return;
  const R* in = lanes_of<R>(warp, op.b);
  if constexpr (kMaskable<M, R>) {
    if (access.pattern == Access::Pattern::kConsecutive) {
      return store_masked<M>(access.first, in, lanes);
    }
  }
  for_each_lane(
      lanes, [&](unsigned i) { plain_store<M>(access.lane(i, sizeof(M)), narrowed<M, R>(in[i])); });
}

template <Space space, class A, class M, class R>
void store(Warp& warp, const Op& op, Mask lanes) {
  const SimpleAccess to =
      lanes == kAllLanes ? resolve_simple<space, A>(warp, op, sizeof(M)) : SimpleAccess{};
  if (to.first == nullptr) return store_any<space, A, M, R>(warp, op, lanes);
  const R* in = lanes_of<R>(warp, op.b);
  if (!to.consecutive) {
    plain_store<M>(to.first, narrowed<M, R>(in[kLanes - 1]));  // the last lane stores last
  } else if constexpr (std::is_same_v<M, R>) {
    std::memcpy(to.first, in, kLanes * sizeof(M));
  } else {
    for (unsigned i = 0; i < kLanes; ++i) {
      plain_store<M>(to.first + i * sizeof(M), narrowed<M, R>(in[i]));
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
    default:
      break;
  }
  constexpr bool kLoad = direction == Direction::kLoad;
  return pick<direction, kLoad ? Space::kGeneric : Space::kGenericWritable, Full>(shape);
}

}  // namespace

Handler load_handler(Space space, bool wide, ElementShape shape) {
  return pick<Direction::kLoad>(space, wide, shape);
}
Handler store_handler(Space space, bool wide, ElementShape shape) {
  return pick<Direction::kStore>(space, wide, shape);
}

}  // namespace egpu::emu
