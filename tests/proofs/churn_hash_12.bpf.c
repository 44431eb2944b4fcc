/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Keys that are compared in the slot. */
#define LONG_KEYS
#define MAP_TYPE BPF_MAP_TYPE_HASH
#define IS_SHARDED 0
#include "keys.bpf.h"

#include "churn.bpf.h"
