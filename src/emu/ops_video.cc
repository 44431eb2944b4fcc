// SIMD video instructions: of all of them the CUDA headers use vabsdiff4 alone, on unsigned bytes.
#include "emu/arithmetic/integer.h"
#include "emu/emit.h"
#include "emu/lanewise.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

// The third source is added to the sum of the bytes (.add), or would fill bytes that a mask leaves
// out, and counts for nothing without one.
Result<void> translate_absolute_difference(Builder& builder, const ptx::Instruction& instruction) {
  using Sources = std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t);
  Modifiers modifiers(instruction.opcode);
  for (int i = 0; i < 3; ++i) {
    EGPU_ASSIGN(const ValueType type, need_type(builder, modifiers));
    if (type != kU32) return builder.error("takes .u32 alone");
  }
  const bool sum = modifiers.take("add");
  const Handler handler =
      sum ? lanewise<Sources>([](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return c + sum_of_bytes(absolute_differences(a, b));
      })
          : lanewise<Sources>([](std::uint32_t a, std::uint32_t b, std::uint32_t) {
              return absolute_differences(a, b);
            });
  return emit_lanewise(builder, instruction, modifiers, handler, kU32, {kU32, kU32, kU32});
}

constexpr Translation kTable[] = {{"vabsdiff4", translate_absolute_difference}};

}  // namespace

TranslationTable video_table() { return kTable; }

}  // namespace egpu::emu
