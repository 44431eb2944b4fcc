// The checked programs of an object -> machine code of this host, with memory for their maps, by
// the lowering that also makes GPU code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/context.h"
#include "base/result.h"
#include "bpf/object.h"
#include "codegen/host_helpers.h"
#include "codegen/optimization.h"
#include "verifier/check.h"

namespace egpu::codegen {

// struct egpu_ctx, for programs that run on the host.
struct ContextValues {
  std::array<std::uint32_t, abi::kContextFieldCount> fields{};

  std::uint32_t& operator[](abi::ContextField field) {
    return fields[static_cast<std::size_t>(field)];
  }
};
static_assert(sizeof(ContextValues) == abi::kContextBytes);

// Movable. run() may be called on several threads at once: programs then share their maps, and what
// they do not change by atomics is a race, as on the GPU.
class HostObject {
 public:
  class State;  // owns code and memory

  explicit HostObject(std::unique_ptr<State> state);
  HostObject(HostObject&&) noexcept;
  HostObject& operator=(HostObject&&) noexcept;
  ~HostObject();

  // Runs the program at this index of the list that was compiled, which must have one there. Gives
  // r0.
  std::uint64_t run(std::size_t program, const ContextValues& context) const;

  // The memory of Object::maps[index], which must exist, laid out as abi/map_layout.h says, in one
  // shard. It begins as MapDefinition::initial says. Reading it while programs run is a race.
  [[nodiscard]] std::span<std::byte> map(std::size_t index) const;

 private:
  std::unique_ptr<State> state_;
};

// Fails where there is no memory for the maps. All programs are of `object`, which need not outlive
// the result. `trace` gets what bpf_trace_printk writes, on the thread that runs the program;
// without it lines are dropped. Thread-safe.
Result<HostObject> jit(const bpf::Object& object,
                       const std::vector<verifier::CheckedProgram>& programs,
                       Optimization optimization = Optimization::kFull, TraceSink trace = {});

}  // namespace egpu::codegen
