// Checked programs on the host: all memory is plain, maps have one shard and lie at addresses that
// are known when code is generated.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/checked_platform.h"
#include "codegen/host_helpers.h"

namespace egpu::codegen {

struct HostMemory {
  std::vector<std::uint64_t> maps;  // where each lies, by its index in Object::maps
  const TraceSink* trace = nullptr;
};

class HostObjectPlatform : public CheckedPlatform {
 public:
  HostObjectPlatform(const bpf::Object& object, const verifier::MapUses& uses,
                     const HostMemory& memory, const FunctionTable& functions)
      : CheckedPlatform(object, uses, {.functions = functions}), memory_(memory) {}

  Result<llvm::Value*> address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                               const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> context_load(const Frame& frame, const bpf::Load& load,
                                    const verifier::InstructionFacts& facts) const override;

 protected:
  llvm::Value* map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const override;
  Result<llvm::Value*> element_address(llvm::IRBuilder<>& builder, const bpf::MapDefinition& map,
                                       llvm::Value* address, llvm::Value* index) const override;
  llvm::Value* shards(llvm::IRBuilder<>& builder) const override { return builder.getInt32(1); }
  Result<llvm::Value*> map_function(llvm::IRBuilder<>& builder, const std::string& name,
                                    llvm::ArrayRef<llvm::Value*> arguments) const override;
  [[nodiscard]] unsigned read_only_space() const override { return 0; }
  Result<llvm::Value*> map_atomic(const Frame& frame, const bpf::Atomic& atomic,
                                  const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> simple_call(const Frame& frame, verifier::HelperId id) const override;

 private:
  const HostMemory& memory_;
};

}  // namespace egpu::codegen
