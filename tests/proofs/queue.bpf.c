/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* The oldest comes out first. */
#define MAP_TYPE BPF_MAP_TYPE_QUEUE
#include "queue.bpf.h"
