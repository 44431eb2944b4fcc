// Instructions that concern when threads run and what a profiler sees, not what they compute.
#include "emu/select.h"
#include "emu/type_dispatch.h"
#include "emu/warp.h"

namespace egpu::emu {
namespace {

void sleep(Warp& warp, const Op&, Mask) { warp.yield(); }

// How long is for the device to choose, from nothing to twice what is asked for.
Result<void> translate_nanosleep(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (!modifiers.take("u32")) return builder.error("has no type .u32");
  EGPU_TRY(builder.finish(modifiers));
  EGPU_TRY(builder.operands(instruction, 1, 1));
  EGPU_TRY(builder.read(instruction.operands[0], kU32));
  builder.emit({.handler = sleep});
  return {};
}

// Launches follow each other: what a kernel depends on is complete when it starts.
Result<void> translate_griddepcontrol(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  if (modifiers.take_one_of({"launch_dependents", "wait"}).empty()) {
    return builder.error("has no action");
  }
  EGPU_TRY(builder.finish(modifiers));
  return builder.operands(instruction, 0, 0);
}

// There are as many registers as anybody wants.
Result<void> translate_setmaxnreg(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  const bool known = !modifiers.take_one_of({"inc", "dec"}).empty() && modifiers.take("sync") &&
                     modifiers.take("aligned") && modifiers.take("u32");
  if (!known) return builder.error("is not .inc or .dec, .sync.aligned.u32");
  EGPU_TRY(builder.finish(modifiers));
  return builder.operands(instruction, 1, 1);
}

// Nobody counts the events.
Result<void> translate_pmevent(Builder& builder, const ptx::Instruction& instruction) {
  Modifiers modifiers(instruction.opcode);
  modifiers.take("mask");
  EGPU_TRY(builder.finish(modifiers));
  return builder.operands(instruction, 1, 1);
}

constexpr Translation kTable[] = {
    {"griddepcontrol", translate_griddepcontrol},
    {"nanosleep", translate_nanosleep},
    {"pmevent", translate_pmevent},
    {"setmaxnreg", translate_setmaxnreg},
};

}  // namespace

TranslationTable schedule_table() { return kTable; }

}  // namespace egpu::emu
