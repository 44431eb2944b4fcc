// Probes where a thread ends.
//
// Each way to an end gets a copy of the probes of its own, also where several branches of the
// original lead to one `ret`. With one copy for all, the assembler would let lanes that return
// early wait in front of it for the rest of their warp (SASS: BSSY, BSYNC). In the original those
// lanes are gone, and a barrier or a shuffle that the rest runs into counts on that: it would wait
// for lanes that wait for it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "ptx/ast.h"

namespace egpu::instrument {

struct ExitProbes {
  std::vector<const ptx::Function*> functions;  // in the order they run
  std::uint32_t kernel_id = 0;
};

// A copy of the function's body in which the probes run before each `exit` and `trap` and, in an
// entry, before each `ret` and where its text ends. Sites are numbered from `site` on, in source
// order, and `site` becomes the number behind the last; copies for one instruction share its
// number. New text is owned by `module`.
Result<ptx::Block> probe_exits(ptx::Module& module, const ptx::Function& function,
                               const ExitProbes& probes, std::uint32_t& site);

}  // namespace egpu::instrument
