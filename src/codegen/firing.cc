#include "codegen/firing.h"

#include <array>

#include "codegen/device_calls.h"

namespace egpu::codegen {
namespace {

using bpf::AttachEvent;
using bpf::Granularity;

// Ends the block with a return where `fires` (i32) is 0. The builder goes on behind it.
void return_unless(llvm::IRBuilder<>& builder, llvm::Value* fires) {
  llvm::BasicBlock* const block = builder.GetInsertBlock();
  llvm::BasicBlock* const behind = block->splitBasicBlock(builder.GetInsertPoint(), "fires");
  auto* const idle =
      llvm::BasicBlock::Create(builder.getContext(), "idle", block->getParent(), behind);
  block->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(block);
  builder.CreateCondBr(builder.CreateICmpEQ(fires, builder.getInt32(0)), idle, behind);
  builder.SetInsertPoint(idle);
  builder.CreateRetVoid();
  builder.SetInsertPoint(behind, behind->begin());
}

// Whether this thread is the one of its warp or block.
Result<llvm::Value*> stands_for_others(llvm::IRBuilder<>& builder, const bpf::AttachPoint& attach,
                                       llvm::Value* active_mask, std::uint32_t place) {
  const bool entry = attach.event == AttachEvent::kEntry;
  if (attach.granularity == Granularity::kBlock)
    return call_runtime(builder, entry ? "egpu_is_first_of_block" : "egpu_is_last_of_block",
                        std::array<llvm::Value*, 2>{active_mask, builder.getInt32(place)});
  if (entry) return call_runtime(builder, "egpu_stands_for_warp", {});
  return call_runtime(builder, "egpu_stands_for_group", std::array{active_mask});
}

}  // namespace

bool needs_active_mask(const bpf::AttachPoint& attach) {
  return attach.granularity == Granularity::kBlock ||
         (attach.granularity == Granularity::kWarp && attach.event == AttachEvent::kExit);
}

Result<void> restrict_firing(llvm::Function& probe, const bpf::AttachPoint& attach,
                             llvm::Value* active_mask, std::uint32_t place) {
  llvm::IRBuilder<> builder(probe.getEntryBlock().getTerminator());
  // The sample first: the other blocks shall not pay for the rest.
  if (attach.sample > 1) {
    EGPU_ASSIGN(llvm::Value * sampled,
                call_runtime(builder, "egpu_is_in_sample",
                             std::array<llvm::Value*, 1>{builder.getInt32(attach.sample)}));
    return_unless(builder, sampled);
  }
  if (attach.granularity != Granularity::kThread) {
    EGPU_ASSIGN(llvm::Value * stands, stands_for_others(builder, attach, active_mask, place));
    return_unless(builder, stands);
  }
  return {};
}

}  // namespace egpu::codegen
