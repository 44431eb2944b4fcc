// Facts about memory instructions that follow from their form alone.
#pragma once

#include "bpf/instruction.h"

namespace egpu::codegen {

inline unsigned bits_of(bpf::MemSize size) { return 8U * static_cast<unsigned>(size); }

inline bpf::Width width_of(const bpf::Atomic& atomic) {
  return atomic.size == bpf::MemSize::k64 ? bpf::Width::k64 : bpf::Width::k32;
}

// Whether the old value goes to the source register (compare-exchange: to r0).
inline bool fetches(const bpf::Atomic& atomic) {
  return atomic.fetch || atomic.op == bpf::AtomicOp::kExchange ||
         atomic.op == bpf::AtomicOp::kCompareExchange;
}

}  // namespace egpu::codegen
