// What a conditional jump tells about its operands.
#pragma once

#include <optional>
#include <utility>

#include "bpf/instruction.h"
#include "verifier/scalar.h"

namespace egpu::verifier {

// The operands of `a condition b` where the outcome is `holds`; nothing where that outcome cannot
// be.
std::optional<std::pair<Scalar, Scalar>> refine(bpf::Condition condition, bpf::Width width,
                                                bool holds, const Scalar& a, const Scalar& b);

}  // namespace egpu::verifier
