/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A map that has room for all, so that nothing is evicted. */
#define MAP_TYPE BPF_MAP_TYPE_LRU_HASH
#define IS_SHARDED 0
#include "keys.bpf.h"

#include "churn.bpf.h"
