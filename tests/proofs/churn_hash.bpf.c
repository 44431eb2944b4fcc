/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Keys that a slot holds in its first word. */
#define MAP_TYPE BPF_MAP_TYPE_HASH
#define IS_SHARDED 0
#include "keys.bpf.h"

#include "churn.bpf.h"
