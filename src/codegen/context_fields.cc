#include "codegen/context_fields.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace egpu::codegen {
namespace {

using abi::ContextField;

llvm::Intrinsic::ID special_register(ContextField field) {
  switch (field) {
    case ContextField::kThreadIdxX:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x;
    case ContextField::kThreadIdxY:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y;
    case ContextField::kThreadIdxZ:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z;
    case ContextField::kBlockIdxX:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
    case ContextField::kBlockIdxY:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y;
    case ContextField::kBlockIdxZ:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z;
    case ContextField::kBlockDimX:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x;
    case ContextField::kBlockDimY:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y;
    case ContextField::kBlockDimZ:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z;
    case ContextField::kGridDimX:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x;
    case ContextField::kGridDimY:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y;
    case ContextField::kGridDimZ:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z;
    case ContextField::kLaneId:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_laneid;
    case ContextField::kWarpId:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_warpid;
    case ContextField::kSmId:
      return llvm::Intrinsic::nvvm_read_ptx_sreg_smid;
    case ContextField::kKernelId:
    case ContextField::kSiteId:
    case ContextField::kActiveMask:
    case ContextField::kWeight:
      break;
  }
  return llvm::Intrinsic::not_intrinsic;
}

}  // namespace

llvm::SmallVector<llvm::Value*, kInputCount> hand_down(const ProbeInputs& inputs) {
  llvm::Value* nothing = llvm::ConstantInt::get(inputs.kernel_id->getType(), 0);
  return {inputs.kernel_id, inputs.site_id,
          inputs.active_mask != nullptr ? inputs.active_mask : nothing, inputs.weight};
}

llvm::Value* read_active_mask(llvm::IRBuilder<>& builder) {
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_activemask, {});
}

llvm::Value* context_value(llvm::IRBuilder<>& builder, ContextField field,
                           const ProbeInputs& inputs) {
  switch (field) {
    case ContextField::kKernelId:
      return inputs.kernel_id;
    case ContextField::kSiteId:
      return inputs.site_id;
    case ContextField::kActiveMask:
      return inputs.active_mask;
    case ContextField::kWeight:
      return inputs.weight;
    default:
      return builder.CreateIntrinsic(special_register(field), {});
  }
}

}  // namespace egpu::codegen
