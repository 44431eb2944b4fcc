#include "cli/ptx_command.h"

#include "cli/diagnostics.h"
#include "cli/program_set.h"
#include "codegen/generate.h"

namespace egpu::cli {

Result<Outcome> ptx_command(const Context& context, const PtxOptions& options) {
  EGPU_ASSIGN(ProgramSet set,
              load_programs(context.installation, options.object, options.settings));
  Outcome outcome;
  if (!set.refused.empty()) {
    outcome.exit_code = exit_code(set.refused.front());
    outcome.errors = std::move(set.refused);
    return outcome;
  }
  EGPU_ASSIGN(codegen::GeneratedModule module, codegen::generate(*set.object, set.checked));
  outcome.text = std::move(options.llvm_ir ? module.llvm_ir : module.ptx);
  return outcome;
}

}  // namespace egpu::cli
