// The end of the process and its forks.
#pragma once

namespace egpu::inject {

// At exit: final snapshots and a goodbye. In a forked child: everything off (CUDA cannot be used
// there either).
bool register_lifetime_handlers();

}  // namespace egpu::inject
