// For tests: threads in the executor that do to one map what a script says (tests/maps).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "maps/values.h"
#include "probed_module.h"

namespace egpu {

// As tests/maps/operations.bpf.h numbers them.
enum class OperationKind : std::uint32_t {
  kNothing,
  kLookUp,
  kUpdate,
  kUpdateNew,
  kUpdateOld,
  kDelete,
  kAdd,
  kVisit,
  kPush,
  kPushOver,
  kPop,
  kPeek,
};

struct Operation {
  OperationKind kind = OperationKind::kNothing;
  std::uint32_t key = 0;
  std::uint64_t value = 0;
};

struct OperationOutcome {
  std::int64_t result = 0;
  std::uint64_t value = 0;
  std::uint64_t begin = 0;  // ticks of a clock that all operations share
  std::uint64_t end = 0;
};

struct ScriptedMapShape {
  std::string program;  // "operations_4"
  bpf::MapType type = bpf::MapType::kHash;
  std::uint32_t max_entries = 4;
  std::uint32_t shards = 1;
};

class ScriptedMap {
 public:
  static constexpr std::uint32_t kActiveLanes = 2;  // of each warp
  static constexpr std::uint32_t kOperations = 3;   // of each active lane
  static constexpr std::uint32_t kMostOperations = 1024;

  static Result<std::unique_ptr<ScriptedMap>> load(const ScriptedMapShape& shape);

  struct Launch {
    std::uint32_t blocks = 1;
    std::uint32_t warps = 1;  // of each block
    std::uint64_t seed = 0;   // of the schedule; 0: the usual one
    unsigned workers = 1;
  };
  // Operations of active lanes, kOperations each, in the order of blocks, warps and lanes: a
  // multiple of that, blocks * warps * kActiveLanes lanes.
  Result<std::vector<OperationOutcome>> run(const Launch& launch,
                                            const std::vector<Operation>& script);

  // The map is empty again.
  void clear();

  // Its entries; keys are told by their numbers.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint64_t>> entries() const;
  [[nodiscard]] maps::Refusals refusals() const;
  // What the map itself counts as its elements.
  [[nodiscard]] std::uint32_t count() const;

 private:
  ScriptedMap() : memory_(std::uint64_t{1} << 30) {}
  [[nodiscard]] std::span<std::byte> map(std::string_view name) const;
  [[nodiscard]] maps::Entries read() const;

  bpf::Object object_;
  std::uint32_t shards_ = 1;
  emu::Memory memory_;
  std::unique_ptr<ProbedModule> module_;
  const emu::Kernel* kernel_ = nullptr;
};

}  // namespace egpu
