#include "emu/directed_rounding.h"

#include <xmmintrin.h>

namespace egpu::emu {
namespace {

class HostRounding {
 public:
  explicit HostRounding(unsigned mode) : before_(_mm_getcsr()) {
    _mm_setcsr((before_ & ~_MM_ROUND_MASK) | mode);
  }
  ~HostRounding() { _mm_setcsr(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  const unsigned before_;
};

template <unsigned kMode>
void run_rounding(Warp& warp, const Op& op, Mask lanes) {
  const HostRounding mode(kMode);
  (*static_cast<const Handler*>(op.extra))(warp, op, lanes);
}

}  // namespace

Op with_rounding(Builder& builder, Handler handler, Rounding rounding) {
  if (handler == nullptr || rounding == Rounding::kNearestEven) return {.handler = handler};
  const Handler outer = rounding == Rounding::kZero   ? &run_rounding<_MM_ROUND_TOWARD_ZERO>
                        : rounding == Rounding::kDown ? &run_rounding<_MM_ROUND_DOWN>
                                                      : &run_rounding<_MM_ROUND_UP>;
  return {.handler = outer, .extra = static_cast<const void*>(builder.keep(handler))};
}

Rounding take_rounding(Modifiers& modifiers) {
  const std::string_view name = modifiers.take_one_of({"rn", "rz", "rm", "rp"});
  return name == "rz"   ? Rounding::kZero
         : name == "rm" ? Rounding::kDown
         : name == "rp" ? Rounding::kUp
                        : Rounding::kNearestEven;
}

}  // namespace egpu::emu
