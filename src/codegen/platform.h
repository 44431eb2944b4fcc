// What code for the GPU and code for the host do not share: how memory is reached, what atomics
// become, how a program calls and how it ends. The rest of a program is the same LLVM IR on both.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>

#include "base/result.h"
#include "bpf/instruction.h"
#include "codegen/registers.h"
#include "verifier/check.h"

namespace egpu::codegen {

// A program may compare or copy the address of the context, of a map or of a function, never look
// behind it: any number but null will do.
inline constexpr std::uint64_t kOpaqueAddress = 0x1000;

// The function that is being made: where code goes, and the machine state it works on.
struct Frame {
  llvm::IRBuilder<>& builder;
  const Registers& registers;
};

// What is known about loads and stores.
struct Access {
  llvm::Align alignment;
  bool is_volatile;  // nothing proves that the memory is there: what is written is done, in order
  bool is_invariant = false;  // of a load: nobody ever writes there
};

class Platform {
 public:
  Platform() = default;
  virtual ~Platform() = default;
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // A pointer to `offset` bytes from `base`, for an instruction with these facts.
  virtual Result<llvm::Value*> address(const Frame& frame, bpf::Reg base, std::int16_t offset,
                                       const verifier::InstructionFacts& facts) const = 0;
  [[nodiscard]] virtual Access access(bpf::MemSize size,
                                      const verifier::InstructionFacts& facts) const = 0;
  // The address (i64) of a variable: an immediate of kind kMapData or kReadOnly.
  virtual Result<llvm::Value*> data_address(const Frame& frame,
                                            const bpf::LoadImm64& load) const = 0;
  // A load from the program's context, as wide as its size.
  virtual Result<llvm::Value*> context_load(const Frame& frame, const bpf::Load& load,
                                            const verifier::InstructionFacts& facts) const = 0;
  // The old value, as wide as the operation; without meaning where the instruction does not fetch.
  virtual Result<llvm::Value*> atomic(const Frame& frame, const bpf::Atomic& atomic,
                                      const verifier::InstructionFacts& facts) const = 0;
  // Calls put their result into r0.
  virtual Result<void> call_helper(const Frame& frame, const bpf::CallHelper& call,
                                   const verifier::InstructionFacts& facts) const = 0;
  virtual Result<void> call_extern(const Frame& frame, const bpf::CallExtern& call) const = 0;
  virtual Result<void> call_subprogram(const Frame& frame,
                                       const bpf::CallSubprogram& call) const = 0;
  // Ends the block.
  virtual Result<void> leave(const Frame& frame) const = 0;
};

}  // namespace egpu::codegen
