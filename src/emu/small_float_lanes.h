// Handlers of .f16, .bf16 and their pairs: sources are widened to single precision, worked on, and
// results narrowed, all lanes at each step. emu/arithmetic/half.h says why this is exact.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "emu/arithmetic/half.h"
#include "emu/lanewise.h"

namespace egpu::emu {

// What happens to a result before it is narrowed.
enum class Finish : std::uint8_t { kNothing, kSaturate, kRelu };

template <class Format, unsigned kElements, bool kFlush>
class WidenedSource {
 public:
  WidenedSource(Warp& warp, Slot slot) {
    Format::template widen<kLanes * kElements>(lanes_of<std::uint16_t>(warp, slot), values_);
    if constexpr (kFlush)
      for (float& value : values_) value = flush_widened<Format>(value);
  }
  float operator()(unsigned i) const { return values_[i]; }

 private:
  alignas(64) float values_[kLanes * kElements];
};

template <class Format, unsigned kElements, bool kFlush, Finish kFinish, class F,
          std::size_t... kSources>
void run_small_floats(Warp& warp, const Op& op, Mask lanes, std::index_sequence<kSources...>) {
  using Source = WidenedSource<Format, kElements, kFlush>;
  alignas(64) float results[kLanes * kElements];
  [&](const auto&... sources) {
    for (unsigned i = 0; i < kLanes * kElements; ++i) {
      // What is less than a normal number is flushed, whatever it would be rounded to.
      const float exact = F{}(sources(i)...);
      const float result = kFlush ? flush_widened<Format>(exact) : exact;
      results[i] = kFinish == Finish::kSaturate ? saturate(result)
                   : kFinish == Finish::kRelu   ? rectify(result)
                                                : result;
    }
  }(Source(warp, source_slot(op, kSources))...);
  alignas(64) std::uint16_t narrowed[kLanes * kElements];
  Format::template narrow<kLanes * kElements>(results, narrowed);
  store_lanes<std::uint16_t, kElements>(warp, op.dst, lanes,
                                        [&](unsigned i) { return narrowed[i]; });
}

template <class Format, unsigned kElements, bool kFlush, Finish kFinish, unsigned kArity, class F>
void small_float_handler(Warp& warp, const Op& op, Mask lanes) {
  run_small_floats<Format, kElements, kFlush, kFinish, F>(warp, op, lanes,
                                                          std::make_index_sequence<kArity>());
}

}  // namespace egpu::emu
