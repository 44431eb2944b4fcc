// membar and fence.
//
// Every host thread sees the memory of this process as x86-64 orders it: stores in order, loads in
// order. What a fence can add is that later loads wait for earlier stores.
#include <immintrin.h>

#include "emu/memory_modifiers.h"
#include "emu/select.h"

namespace egpu::emu {
namespace {

void fence(Warp&, const Op&, Mask) { _mm_mfence(); }

Result<void> translate_membar(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (modifiers.take("proxy")) {
    modifiers.take_one_of({"alias"});
  } else if (modifiers.take_one_of({"cta", "gl", "sys"}).empty()) {
    return builder.error("has no scope");
  }
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 0, 0));
  builder.emit({.handler = fence});
  return {};
}

Result<void> translate_fence(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  // There is one way to memory here: proxies never disagree.
  modifiers.take_one_of({"proxy", "mbarrier_init"});
  modifiers.take_one_of({"alias", "async", "async.global", "tensormap::generic", "async::generic"});
  modifiers.take_one_of({"global", "shared::cta", "shared::cluster", "sync_restrict::shared::cta",
                         "sync_restrict::shared::cluster"});
  modifiers.take_one_of({"acq_rel", "sc", "acquire", "release"});
  take_scope(modifiers);
  EGPU_TRY(builder.finish(modifiers));
  // fence.proxy.tensormap names an address and a size.
  EGPU_TRY(builder.operands(instruction, 0, 2));
  builder.emit({.handler = fence});
  return {};
}

constexpr Translation kTable[] = {
    {"fence", translate_fence},
    {"membar", translate_membar},
};

}  // namespace

TranslationTable fence_table() { return kTable; }

}  // namespace egpu::emu
