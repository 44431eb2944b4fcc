// What checking one program gathers over all its paths, and the form of its refusals.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"
#include "verifier/value.h"

namespace egpu::verifier {

class Recorder {
 public:
  Recorder(const bpf::Object& object, const bpf::Program& program, const CheckLimits& limits);

  [[nodiscard]] const bpf::Object& object() const { return object_; }
  [[nodiscard]] const bpf::Program& program() const { return program_; }
  [[nodiscard]] const CheckLimits& limits() const { return limits_; }
  [[nodiscard]] const bpf::MapDefinition& map(std::uint32_t index) const {
    return object_.maps[index];
  }

  // An Error at instruction `index`, with its source line.
  [[nodiscard]] Error refuse(std::size_t index, std::string why) const;

  void reach(std::size_t index) { checked_.facts[index].reachable = true; }

  // Notes what a memory instruction touches. Refuses a field of the context where another path
  // touches something else with it: fields are no memory.
  Result<void> record_access(std::size_t index, Region region, std::int32_t offset);
  // A call gets one map and one callback, whatever path leads to it.
  Result<void> record_call_map(std::size_t index, std::uint32_t map);
  // A call that ends a record of that many bytes of the map.
  Result<void> record_ending(std::size_t index, std::uint32_t map, std::uint32_t bytes);
  Result<void> record_callback(std::size_t index, std::uint32_t first);

  // A value of the map is used, on some path.
  void record_use(std::uint32_t map, const MapUse& use) { checked_.map_uses[map] |= use; }

  // The frame of `function` is used down to `offset` (negative, from its r10).
  void use_stack(std::uint32_t function, int offset);
  // `call_site` enters `callee`, which may be a callback.
  void record_call(std::uint32_t caller, std::uint32_t callee, std::size_t call_site);

  // A number no other value of this program has.
  std::uint32_t next_id() { return ++last_id_; }

  // "a pointer to a value of map counts or null", "a number (0 to 31)": for messages.
  [[nodiscard]] std::string describe(const Value& value) const;

  // Refuses chains of calls whose frames need more than the stack has.
  [[nodiscard]] Result<CheckedProgram> take(std::uint64_t max_instructions) &&;

 private:
  Result<void> measure_stack(std::uint32_t function, std::uint32_t above, std::uint32_t depth);

  const bpf::Object& object_;
  const bpf::Program& program_;
  const CheckLimits& limits_;
  CheckedProgram checked_;
  std::vector<bool> has_map_;       // calls whose map is known
  std::vector<bool> has_callback_;  // calls whose callback is known
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> calls_;  // from, to: a call site
  // By function and depth: the most that measure_stack() has seen in use above.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> above_;
  std::uint32_t last_id_ = 0;
};

}  // namespace egpu::verifier
