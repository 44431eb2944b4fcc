// cp.async.bulk: copies of many bytes, tracked by an mbarrier or by groups.
#pragma once

#include "emu/builder.h"

namespace egpu::emu {

// `modifiers` without .async and .bulk.
Result<void> translate_bulk_copy(Builder& builder, const ptx::Instruction& instruction,
                                 Modifiers& modifiers);

}  // namespace egpu::emu
