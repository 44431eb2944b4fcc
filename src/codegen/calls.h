// Calls of a program's own functions, and the helpers that call them back. The same for every
// platform: loops of LLVM IR, into which a callback can be inlined.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <map>

#include "base/result.h"
#include "codegen/platform.h"

namespace egpu::codegen {

inline constexpr unsigned kArguments = 5;  // r1 to r5

// By the first instruction of each. Their parameters are r1 to r5, then what the platform hands
// down; the result is r0.
using FunctionTable = std::map<std::uint32_t, llvm::Function*>;

struct Callees {
  const FunctionTable& functions;
  llvm::SmallVector<llvm::Value*, 3> handed_down = {};
};

// r0 = the function that starts at instruction `target`, called with r1 to r5.
Result<void> call_function(const Frame& frame, const Callees& callees, std::uint32_t target);

// The result of calling it with `arguments`, r1 and on; those that are missing are 0.
Result<llvm::Value*> call_function(llvm::IRBuilder<>& builder, const Callees& callees,
                                   std::uint32_t target, llvm::ArrayRef<llvm::Value*> arguments);

// r0 = bpf_loop(r1: how often, r2: the function at `callback`, r3: its data, r4: flags).
Result<void> call_loop(const Frame& frame, const Callees& callees, std::uint32_t callback);

// What bpf_for_each_map_elem visits.
struct MapElements {
  llvm::Value* places;      // where elements may be (i64)
  std::uint32_t key_bytes;  // of each key
  bool all_hold_elements;
  // Stores the key of the element in place `index` (i64) at address `key` (i64, of whole words) and
  // gives the value's address (i64); 0 where there is no element.
  llvm::function_ref<Result<llvm::Value*>(llvm::Value* index, llvm::Value* key)> element;
};

// r0 = bpf_for_each_map_elem(r1: the map, r2: the function at `callback`, r3: its data, r4: flags).
Result<void> call_for_each(const Frame& frame, const Callees& callees, std::uint32_t callback,
                           const MapElements& elements);

}  // namespace egpu::codegen
