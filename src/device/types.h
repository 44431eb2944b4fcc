// Types of the GPU runtime. Freestanding C: no header of any toolkit.
#pragma once

typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;

// The runtime is called by name from generated code and must vanish into it: a call costs more than
// what most of these functions do.
#define EGPU_RUNTIME __attribute__((always_inline, visibility("hidden")))

// Addresses of map memory are plain u64 numbers here: eBPF registers hold them, and code generation
// gives them back their address space where memory is touched.
