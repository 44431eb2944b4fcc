// Whether what threads got from a map could come from one operation after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scripted_map.h"

namespace egpu {

struct ModelOptions {
  std::uint32_t max_entries = 4;
};

struct DoneOperation {
  Operation operation;
  OperationOutcome outcome;
};

// Searches an order of all operations that agrees with the clock (what ended before another began
// comes first), in which a sequential map gives each what it got, and that ends with `entries`.
// Operations that gave up (-EBUSY) do nothing. A map may call itself full for as many elements less
// as updates and deletions of other threads were under way. Values that look-ups gave are not
// looked at: a pointer may be that of a newer element when it is read. Empty: there is one;
// otherwise the history, for people. At most 32 operations, keys below 8.
std::string find_contradiction(const ModelOptions& options,
                               const std::vector<DoneOperation>& operations,
                               const std::vector<std::pair<std::uint32_t, std::uint64_t>>& entries);

}  // namespace egpu
