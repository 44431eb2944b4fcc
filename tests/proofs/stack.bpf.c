/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* The newest comes out first. */
#define MAP_TYPE BPF_MAP_TYPE_STACK
#include "queue.bpf.h"
