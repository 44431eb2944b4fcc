// Carries out a hook plan in this process. Part of the injected library: libc alone, no exceptions,
// no RTTI, no heap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hook/plan.h"

namespace egpu::hook {

enum class PatchStatus { kDone, kDeclined, kMismatch, kNoMemory, kProtected };
const char* to_string(PatchStatus status);

// Redirects the function to `replacement` and gives, in *original, what calls the function as it
// was. *original is written before the function is redirected, so a hook may use it at once.
// `load_bias`: address of the library in memory minus its virtual addresses. Safe while other
// threads call the function, and with a uprobe on its first instruction before or after. Not safe
// against a second patch() of the same function at the same time.
//
// A plan with a reason, or one that is not well formed, gives kDeclined. After any failure the
// function is as it was; *original is too, or calls the function all the same.
PatchStatus patch(const FunctionPlan& plan, std::uintptr_t load_bias, void* replacement,
                  void** original);

}  // namespace egpu::hook
