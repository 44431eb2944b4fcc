// shfl, shfl.sync, movmatrix.
#include <immintrin.h>

#include "emu/membership.h"
#include "emu/select.h"
#include "emu/type_dispatch.h"

namespace egpu::emu {
namespace {

// out[i] = a[source[i]]; sources are below 32.
void permute(const std::uint32_t* a, const std::uint32_t* source, std::uint32_t* out) {
  const auto part = [](const std::uint32_t* words, unsigned index) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words) + index);
  };
  const __m256i parts[] = {part(a, 0), part(a, 1), part(a, 2), part(a, 3)};
  for (unsigned i = 0; i < 4; ++i) {
    // The instruction looks at the low three bits; the other two choose between its results, as
    // the highest bit of each word.
    const __m256i from = part(source, i);
    const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(from, 28));
    const __m256 high = _mm256_castsi256_ps(_mm256_slli_epi32(from, 27));
    const auto choose = [&](unsigned p) {
      return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(parts[p], from));
    };
    const __m256 low_half = _mm256_blendv_ps(choose(0), choose(1), odd);
    const __m256 high_half = _mm256_blendv_ps(choose(2), choose(3), odd);
    _mm256_storeu_ps(reinterpret_cast<float*>(out + std::size_t{i} * 8),
                     _mm256_blendv_ps(low_half, high_half, high));
  }
}

enum class Shuffle : std::uint8_t { kUp, kDown, kButterfly, kIndex };

// Each lane takes op.a of another lane: op.b says which, op.c where its segment ends. `valid`,
// unless it is kNoSlot, tells lanes whether that one is in their segment; where not they take their
// own.
template <Shuffle mode>
void shuffle_among(Warp& warp, const Op& op, Mask lanes, Slot valid) {
  const auto* a = lanes_of<std::uint32_t>(warp, op.a);
  const auto* b = lanes_of<std::uint32_t>(warp, op.b);
  const auto* c = lanes_of<std::uint32_t>(warp, op.c);
  alignas(64) std::uint32_t source[kLanes];
  Mask inside = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    const auto lane = static_cast<std::int32_t>(i);
    const auto by = static_cast<std::int32_t>(b[i] & 31);
    const auto segment = static_cast<std::int32_t>(c[i] >> 8 & 31);
    const auto clamp = static_cast<std::int32_t>(c[i] & 31);
    const std::int32_t last = (lane & segment) | (clamp & ~segment);
    std::int32_t from = 0;
    if (mode == Shuffle::kUp) from = lane - by;
    if (mode == Shuffle::kDown) from = lane + by;
    if (mode == Shuffle::kButterfly) from = lane ^ by;
    if (mode == Shuffle::kIndex) from = (lane & segment) | (by & ~segment);
    const bool in = mode == Shuffle::kUp ? from >= last : from <= last;
    source[i] = static_cast<std::uint32_t>(in ? from : lane);
    inside |= static_cast<Mask>(in ? 1 : 0) << i;
  }
  alignas(64) std::uint32_t results[kLanes];
  permute(a, source, results);
  set_lanes<std::uint32_t>(warp, op.dst, lanes, [&](unsigned i) { return results[i]; });
  if (valid == kNoSlot) return;
  Mask& out = predicate_of(warp, valid);
  out = (out & ~lanes) | (inside & lanes);
}

// Op::extra.
struct ShuffleExtra {
  Slot valid = kNoSlot;
  Slot members = kNoSlot;  // kNoSlot: without .sync
};

template <Shuffle mode>
void shuffle(Warp& warp, const Op& op, Mask lanes) {
  const auto& extra = *static_cast<const ShuffleExtra*>(op.extra);
  if (extra.members == kNoSlot) return shuffle_among<mode>(warp, op, lanes, extra.valid);
  for_members(warp, op, lanes, extra.members,
              [&](Mask together) { shuffle_among<mode>(warp, op, together, extra.valid); });
}

Handler handler_of(std::string_view mode) {
  if (mode == "up") return shuffle<Shuffle::kUp>;
  if (mode == "down") return shuffle<Shuffle::kDown>;
  if (mode == "bfly") return shuffle<Shuffle::kButterfly>;
  return mode == "idx" ? shuffle<Shuffle::kIndex> : nullptr;
}

Result<void> translate_shuffle(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool sync = modifiers.take("sync");
  const Handler handler = handler_of(modifiers.take_one_of({"up", "down", "bfly", "idx"}));
  if (handler == nullptr || !modifiers.take("b32")) return builder.error("has no mode or no type");
  EGPU_TRY(builder.finish(modifiers));
  const std::size_t count = sync ? 5 : 4;
  EGPU_TRY(builder.operands(instruction, count, count));
  const auto& operands = instruction.operands;
  ShuffleExtra extra;
  Op op{.handler = handler};
  EGPU_ASSIGN(op.a, builder.read(operands[1], kB32));
  EGPU_ASSIGN(op.b, builder.read(operands[2], kB32));
  EGPU_ASSIGN(op.c, builder.read(operands[3], kB32));
  if (sync) {
    EGPU_ASSIGN(extra.members, builder.read(operands[4], kB32));
  }
  if (const auto* pair = std::get_if<ptx::Pair>(&operands[0])) {
    EGPU_ASSIGN(op.dst, builder.write(pair->first, kB32));
    EGPU_ASSIGN(extra.valid, builder.write(pair->second, kPred));
  } else {
    EGPU_ASSIGN(op.dst, builder.write(operands[0], kB32));
  }
  op.extra = builder.keep(extra);
  builder.emit(op);
  return {};
}

// An 8 by 8 matrix of 16-bit elements: lane i holds elements 2 * (i % 4) and the next of row i / 4.
void transpose(Warp& warp, const Op& op, Mask lanes) {
  for_whole_warp(warp, op, lanes, [&](Mask together) {
    const auto* a = lanes_of<std::uint32_t>(warp, op.a);
    const auto element = [&](unsigned row, unsigned column) {
      return a[row * 4 + column / 2] >> (column % 2 * 16) & 0xffff;
    };
    set_lanes<std::uint32_t>(warp, op.dst, together, [&](unsigned i) {
      const unsigned row = i / 4;
      const unsigned column = i % 4 * 2;
      return element(column, row) | element(column + 1, row) << 16;
    });
  });
}

Result<void> translate_movmatrix(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  for (const std::string_view part : {"sync", "aligned", "m8n8", "trans", "b16"}) {
    if (!modifiers.take(part)) return builder.error("is not .sync.aligned.m8n8.trans.b16");
  }
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 2, 2));
  EGPU_ASSIGN(const Slot source, builder.read(instruction.operands[1], kB32));
  EGPU_ASSIGN(const Slot result, builder.write(instruction.operands[0], kB32));
  builder.emit({.handler = transpose, .dst = result, .a = source});
  return {};
}

constexpr Translation kTable[] = {
    {"movmatrix", translate_movmatrix},
    {"shfl", translate_shuffle},
};

}  // namespace

TranslationTable shuffle_table() { return kTable; }

}  // namespace egpu::emu
