/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Elements that are always there. */
#define MAP_TYPE BPF_MAP_TYPE_ARRAY
#define IS_ARRAY 1
#define FORGETS 0
#include "keys.bpf.h"

#include "owned.bpf.h"
