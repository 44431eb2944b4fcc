// What checking one program gathers over all its paths, and the form of its refusals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"
#include "verifier/value.h"

namespace egpu::verifier {

class Recorder {
 public:
  Recorder(const bpf::Object& object, const bpf::Program& program);

  [[nodiscard]] const bpf::MapDefinition& map(std::uint32_t index) const {
    return object_.maps[index];
  }

  // An Error at instruction `index`, with its source line.
  [[nodiscard]] Error refuse(std::size_t index, std::string why) const;

  void reach(std::size_t index) { checked_.facts[index].reachable = true; }

  // Notes what a memory instruction touches; refuses where another path touches something else with
  // it.
  Result<void> record_access(std::size_t index, Region region, std::int32_t offset,
                             std::uint32_t map);
  // The same for the map argument of a call.
  Result<void> record_call_map(std::size_t index, std::uint32_t map);

  // The program uses the stack down to `offset` (negative, from r10).
  void use_stack(int offset);

  // A number no other value of this program has.
  std::uint32_t next_id() { return ++last_id_; }

  // "a pointer to a value of map counts or null", "a number (0 to 31)": for messages.
  [[nodiscard]] std::string describe(const Value& value) const;

  [[nodiscard]] CheckedProgram take(std::uint64_t max_instructions) &&;

 private:
  const bpf::Object& object_;
  const bpf::Program& program_;
  CheckedProgram checked_;
  std::vector<bool> called_;  // calls whose map is known
  std::uint32_t last_id_ = 0;
};

}  // namespace egpu::verifier
