/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Values of one SM. */
#define LONG_KEYS
#define MAP_TYPE BPF_MAP_TYPE_PERCPU_HASH
#define IS_ARRAY 0
#define FORGETS 1
#include "keys.bpf.h"

#include "owned.bpf.h"
