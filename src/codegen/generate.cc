#include "codegen/generate.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <memory>

#include "codegen/crash_guard.h"
#include "codegen/diagnostics.h"
#include "codegen/emit.h"
#include "codegen/lower_program.h"
#include "codegen/probe_table.h"
#include "codegen/target.h"

namespace egpu::codegen {
namespace {

Result<GeneratedModule> generate_module(const bpf::Object& object,
                                        const std::vector<verifier::CheckedProgram>& programs,
                                        const GenerateOptions& options) {
  // A context of its own: threads share nothing.
  llvm::LLVMContext context;
  Diagnostics diagnostics(context);
  EGPU_ASSIGN(const auto machine, make_target_machine());

  // The device runtime is the module to which the programs and the table of their maps are added.
  EGPU_ASSIGN(const auto module, load_device_runtime(context, *machine));
  const ProbeTable table(*module, object.maps.size(), options.table_space);
  const verifier::MapUses uses = verifier::uses_of(programs);
  const ModuleParts parts{.object = object, .module = *module, .table = table, .uses = uses};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    EGPU_ASSIGN(llvm::Function * function,
                lower_program(parts, programs[i],
                              {.probe = probe_function_name(i),
                               .functions = "egpu_function_" + std::to_string(i),
                               .number = static_cast<std::uint32_t>(i)}));
    llvm::appendToUsed(*module, {function});
  }
  EGPU_TRY(verify(*module));

  // Of the runtime, only what was inlined is left after this.
  optimize(*module, *machine);
  GeneratedModule generated{.ptx = {}, .llvm_ir = print_ir(*module)};
  EGPU_ASSIGN(generated.ptx, emit_ptx(*module, *machine));
  EGPU_TRY(diagnostics.first_error());
  return generated;
}

}  // namespace

std::string probe_function_name(std::size_t program) {
  return "egpu_probe_" + std::to_string(program);
}

Result<GeneratedModule> generate(const bpf::Object& object,
                                 const std::vector<verifier::CheckedProgram>& programs,
                                 const GenerateOptions& options) {
  Result<GeneratedModule> result = internal_error("the code generator did not run");
  EGPU_TRY(run_guarded([&] { result = generate_module(object, programs, options); }));
  return result;
}

}  // namespace egpu::codegen
