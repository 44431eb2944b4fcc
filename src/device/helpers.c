// eBPF helpers that take no map, and the functions that programs call by name. Registers are 64-bit
// numbers; addresses among them are of the generic space.

#include "portable.h"
#include "types.h"

// Volatile: each call reads the time anew.
EGPU_RUNTIME u64 egpu_read_globaltimer(void) {
  u64 value;
  __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

EGPU_RUNTIME u64 egpu_read_clock(void) {
  u64 value;
  __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(value));
  return value;
}

EGPU_RUNTIME u64 egpu_read_grid_id(void) {
  u64 value;
  __asm__("mov.u64 %0, %%gridid;" : "=l"(value));
  return value;
}

// Lanes that read the clock together differ by their position, later calls by the clock. Enough to
// sample by; no secret.
EGPU_RUNTIME u64 egpu_random(void) {
  u64 thread = __nvvm_read_ptx_sreg_tid_x() +
               (u64)__nvvm_read_ptx_sreg_ntid_x() *
                   (__nvvm_read_ptx_sreg_tid_y() +
                    (u64)__nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
  u64 block = __nvvm_read_ptx_sreg_ctaid_x() +
              (u64)__nvvm_read_ptx_sreg_nctaid_x() *
                  (__nvvm_read_ptx_sreg_ctaid_y() +
                   (u64)__nvvm_read_ptx_sreg_nctaid_y() * __nvvm_read_ptx_sreg_ctaid_z());
  // A block has at most 1024 threads: each thread of a grid has a number of its own.
  return (u32)egpu_mix(egpu_mix(block * 1024 + thread) + egpu_read_clock());
}

EGPU_RUNTIME u64 egpu_copy_command(u64 buffer, u64 size, u64 low, u64 high) {
  egpu_fill_command((char*)buffer, size, low, high);
  return 0;
}

EGPU_RUNTIME u64 egpu_strncmp(u64 left, u64 size, u64 right) {
  return (u64)(long long)egpu_compare_text((const char*)left, size, (const char*)right);
}
