// Raw eBPF programs -> machine code of this host, by the lowering that also makes GPU code.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "bpf/decode.h"
#include "codegen/optimization.h"

namespace egpu::codegen {

// Machine code that lives as long as this. Nothing checked the program: running it may read, write
// or wait for anything, as any native code may. Who does not trust it runs it in a process of its
// own.
class HostProgram {
 public:
  class Code;  // owns the memory
  using Entry = std::uint64_t(std::uint64_t r1, std::uint64_t r2, std::uint64_t r3,
                              std::uint64_t r4, std::uint64_t r5);

  HostProgram(std::unique_ptr<Code> code, Entry* entry);
  HostProgram(HostProgram&&) noexcept;
  HostProgram& operator=(HostProgram&&) noexcept;
  ~HostProgram();

  // Runs with r1 = memory and r2 = size, all other registers zero; gives r0. Thread-safe as far as
  // the program is.
  std::uint64_t operator()(void* memory, std::uint64_t size) const;

 private:
  std::unique_ptr<Code> code_;
  Entry* entry_;  // the main function
};

// Each function gets a stack of 512 bytes. Refuses what bpf::find_subprograms() refuses, and calls
// of helpers. Thread-safe.
Result<HostProgram> jit(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                        Optimization optimization = Optimization::kFull);

}  // namespace egpu::codegen
