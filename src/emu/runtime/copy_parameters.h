// The runtime's descriptions of copies as the driver's.
#pragma once

#include "emu/runtime/types.h"

namespace egpu::emu::runtime {

Error check_kind(CopyKind kind);

// kNotSupported where it involves arrays.
Error driver_copy(const Copy3d& copy, cuda::Copy3d& result);
Error driver_copy(const PeerCopy3d& copy, cuda::Copy3d& result);
// The way back; the kind is told from the sides.
Copy3d runtime_copy(const cuda::Copy3d& copy);

// `bytes` bytes in a row.
Copy3d linear_copy(void* destination, const void* source, std::size_t bytes, CopyKind kind);

}  // namespace egpu::emu::runtime
