// A probe function's body at the place of its call.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::instrument {

// What the function's two parameters are at one site.
struct ProbeArguments {
  std::string_view kernel_id;  // decimal
  std::string_view site_id;
};

// The body of `probe` as a block: reads of its parameters become moves of the arguments, `ret` a
// branch to the block's end. Registers, labels and variables of a block are its own, so nothing is
// renamed. Left as a call, the function stays one: ptxas does not inline it, and then neither folds
// the arguments nor combines the warp's atomics well (docs/adr/0003). Calls of other functions stay
// calls. Fails, as our bug, on what the code generator does not emit: other uses of parameters.
Result<ptx::Block> inline_probe(const ptx::Function& probe, const ProbeArguments& arguments);

}  // namespace egpu::instrument
