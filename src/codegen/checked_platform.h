// What checked programs share wherever they run: maps, data sections, calls of functions and
// callbacks. Platforms supply where memory is and the helpers that ask the machine.
#pragma once

#include <string>

#include "bpf/object.h"
#include "codegen/calls.h"
#include "codegen/platform.h"
#include "verifier/check.h"
#include "verifier/helpers.h"

namespace egpu::codegen {

class CheckedPlatform : public Platform {
 public:
  // `uses`: of all programs that share the maps.
  CheckedPlatform(const bpf::Object& object, const verifier::MapUses& uses, Callees callees);

  [[nodiscard]] Access access(bpf::MemSize size,
                              const verifier::InstructionFacts& facts) const override;
  Result<llvm::Value*> data_address(const Frame& frame, const bpf::LoadImm64& load) const override;
  Result<llvm::Value*> atomic(const Frame& frame, const bpf::Atomic& atomic,
                              const verifier::InstructionFacts& facts) const override;
  Result<void> call_helper(const Frame& frame, const bpf::CallHelper& call,
                           const verifier::InstructionFacts& facts) const override;
  Result<void> call_extern(const Frame& frame, const bpf::CallExtern& call) const override;
  Result<void> call_subprogram(const Frame& frame, const bpf::CallSubprogram& call) const override;
  // Returns r0, or nothing where the LLVM function gives nothing.
  Result<void> leave(const Frame& frame) const override;

 protected:
  // A map's memory: its address (i64), 0 where it was never given any.
  virtual llvm::Value* map_address(llvm::IRBuilder<>& builder, std::uint32_t map) const = 0;
  // The address (i64) of the value at `index` (i32), which exists, for this thread.
  virtual Result<llvm::Value*> element_address(llvm::IRBuilder<>& builder,
                                               const bpf::MapDefinition& map, llvm::Value* address,
                                               llvm::Value* index) const = 0;
  // Shards of PERCPU maps (i32).
  virtual llvm::Value* shards(llvm::IRBuilder<>& builder) const = 0;
  // Calls a function of the map runtime (device/map.h).
  virtual Result<llvm::Value*> map_function(llvm::IRBuilder<>& builder, const std::string& name,
                                            llvm::ArrayRef<llvm::Value*> arguments) const = 0;
  // Where sections that are only read are put.
  [[nodiscard]] virtual unsigned read_only_space() const = 0;
  // An atomic on a value of a map.
  virtual Result<llvm::Value*> map_atomic(const Frame& frame, const bpf::Atomic& atomic,
                                          const verifier::InstructionFacts& facts) const = 0;
  // The result of a helper or extern that neither takes a map nor calls back; arguments are in r1
  // to r5.
  virtual Result<llvm::Value*> simple_call(const Frame& frame, verifier::HelperId id) const = 0;

 private:
  [[nodiscard]] Result<const bpf::MapDefinition*> map_at(std::uint32_t index) const;
  void append_shape(llvm::IRBuilder<>& builder, std::uint32_t map_index,
                    llvm::SmallVectorImpl<llvm::Value*>& arguments) const;
  Result<void> element_lookup(const Frame& frame, const bpf::MapDefinition& map,
                              std::uint32_t map_index) const;
  Result<void> map_call(const Frame& frame, const verifier::HelperPrototype& helper,
                        const verifier::InstructionFacts& facts) const;
  Result<void> for_each(const Frame& frame, const verifier::InstructionFacts& facts) const;

  const bpf::Object& object_;
  const verifier::MapUses& uses_;
  Callees callees_;
};

}  // namespace egpu::codegen
