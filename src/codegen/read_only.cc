#include "codegen/read_only.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <string>

#include "base/bytes.h"

namespace egpu::codegen {
namespace {

// The checker admits accesses that are aligned in their section.
constexpr std::uint64_t kWidestAccess = 8;

llvm::GlobalVariable* define(llvm::Module& module, const bpf::ReadOnlySection& section,
                             const std::string& name, unsigned address_space) {
  auto* bytes = llvm::ConstantDataArray::getRaw(as_text(section.bytes), section.bytes.size(),
                                                llvm::Type::getInt8Ty(module.getContext()));
  auto* variable = new llvm::GlobalVariable(
      module, bytes->getType(), /*isConstant=*/true, llvm::GlobalValue::InternalLinkage, bytes,
      name, /*InsertBefore=*/nullptr, llvm::GlobalValue::NotThreadLocal, address_space);
  variable->setAlignment(llvm::Align(std::max(section.alignment, kWidestAccess)));
  return variable;
}

}  // namespace

Result<llvm::Value*> read_only_address(llvm::IRBuilder<>& builder, const bpf::Object& object,
                                       std::uint32_t section, std::uint64_t offset,
                                       unsigned address_space) {
  if (section >= object.read_only.size() || offset > object.read_only[section].bytes.size())
    return internal_error("an address behind the end of a section reached the code generator");
  // One past the end is an address, too: nothing is read there.
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const std::string name = "egpu_read_only_" + std::to_string(section);
  llvm::GlobalVariable* variable = module.getNamedGlobal(name);
  if (variable == nullptr)
    variable = define(module, object.read_only[section], name, address_space);
  llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), variable, offset);
  return builder.CreatePtrToInt(builder.CreateAddrSpaceCast(place, builder.getPtrTy()),
                                builder.getInt64Ty());
}

}  // namespace egpu::codegen
