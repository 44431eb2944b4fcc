#include "codegen/registers.h"

namespace egpu::codegen {

using llvm::Value;

Registers::Registers(llvm::IRBuilder<>& builder, std::uint32_t stack_bytes)
    : stack_bytes_(stack_bytes) {
  for (std::size_t i = 0; i < registers_.size(); ++i)
    registers_[i] = builder.CreateAlloca(builder.getInt64Ty(), nullptr, "r" + std::to_string(i));

  stack_ = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), stack_bytes), nullptr,
                                "stack");
  stack_->setAlignment(llvm::Align(8));
  write(builder, bpf::kR10,
        builder.CreatePtrToInt(stack_address(builder, 0), builder.getInt64Ty()));
}

Value* Registers::read(llvm::IRBuilder<>& builder, bpf::Reg reg, bpf::Width width) const {
  Value* value = builder.CreateLoad(builder.getInt64Ty(), registers_[reg.index]);
  return width == bpf::Width::k64 ? value : builder.CreateTrunc(value, builder.getInt32Ty());
}

Value* Registers::read(llvm::IRBuilder<>& builder, const bpf::Operand& operand,
                       bpf::Width width) const {
  if (const auto* reg = std::get_if<bpf::Reg>(&operand)) return read(builder, *reg, width);
  const std::int32_t immediate = std::get<bpf::Imm>(operand).value;
  auto* type = width == bpf::Width::k64 ? builder.getInt64Ty() : builder.getInt32Ty();
  return llvm::ConstantInt::getSigned(type, immediate);
}

void Registers::write(llvm::IRBuilder<>& builder, bpf::Reg reg, Value* value) const {
  builder.CreateStore(builder.CreateZExt(value, builder.getInt64Ty()), registers_[reg.index]);
}

Value* Registers::sum(llvm::IRBuilder<>& builder, bpf::Reg reg, std::int16_t offset) const {
  return builder.CreateAdd(read(builder, reg, bpf::Width::k64),
                           llvm::ConstantInt::getSigned(builder.getInt64Ty(), offset));
}

Value* Registers::stack_address(llvm::IRBuilder<>& builder, std::int32_t offset) const {
  const std::int64_t from_bottom = static_cast<std::int64_t>(stack_bytes_) + offset;
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), stack_,
                                            static_cast<std::uint64_t>(from_bottom));
}

}  // namespace egpu::codegen
