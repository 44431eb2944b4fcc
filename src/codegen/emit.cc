#include "codegen/emit.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include "codegen/null_checks.h"
#include "codegen/stack_pointers.h"

namespace egpu::codegen {

Result<void> verify(const llvm::Module& module) {
  std::string complaint;
  llvm::raw_string_ostream stream(complaint);
  if (llvm::verifyModule(module, &stream))
    return internal_error("generated LLVM IR is not valid: " + complaint);
  return {};
}

namespace {

void add_clean_up(llvm::ModulePassManager& passes) {
  llvm::FunctionPassManager early;
  early.addPass(llvm::PromotePass());
  early.addPass(RestoreStackPointers());
  early.addPass(FoldNullChecks());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(early)));
}

void run_pipeline(llvm::Module& module, llvm::TargetMachine& machine,
                  llvm::OptimizationLevel level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager call_graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(call_graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, call_graph, modules);
  if (level == llvm::OptimizationLevel::O0) {
    builder.buildO0DefaultPipeline(level).run(module, modules);
    return;
  }
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, auto) { add_clean_up(passes); });
  builder.registerPeepholeEPCallback(
      [](llvm::FunctionPassManager& passes, auto) { passes.addPass(RestoreStackPointers()); });
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  run_pipeline(module, machine, llvm::OptimizationLevel::O3);
}

void inline_runtime(llvm::Module& module, llvm::TargetMachine& machine) {
  run_pipeline(module, machine, llvm::OptimizationLevel::O0);
}

Result<std::string> emit_ptx(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<4096> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return internal_error("LLVM's NVPTX back end cannot print assembly");
  passes.run(module);
  return std::string(text);
}

std::string print_ir(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace egpu::codegen
