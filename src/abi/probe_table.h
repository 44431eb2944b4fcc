// The table through which generated GPU code finds its maps. Shared by the code generator, which
// reads it on the GPU, and by the injected library, which fills it at load.
//
// The instrumented module defines one `.visible .const` (or, where constants are full, `.global`)
// symbol kProbeTableSymbol of probe_table_bytes(maps) bytes: a ProbeTableHeader, then one u64
// device address for each map. Compiled code holds no address, so it can be cached.
#pragma once

#include <cstddef>
#include <cstdint>

namespace egpu::abi {

inline constexpr char kProbeTableSymbol[] = "egpu_probe_table";

inline constexpr std::size_t kCommandBytes = 16;  // TASK_COMM_LEN of Linux

struct ProbeTableHeader {
  std::uint32_t shards;         // of each PERCPU map: SMs of the device; at least 1
  std::uint32_t process_id;     // of the observed process, in its own namespace
  char command[kCommandBytes];  // its name, as in /proc/PID/comm; zeros behind it, at least one
};
static_assert(sizeof(ProbeTableHeader) == 24);

constexpr std::size_t probe_table_bytes(std::size_t maps) {
  return sizeof(ProbeTableHeader) + 8 * maps;
}

// The instrumented twin of entry K is called kInstrumentedPrefix + K.
inline constexpr char kInstrumentedPrefix[] = "__egpu_";

}  // namespace egpu::abi
