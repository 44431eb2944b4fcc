#include "codegen/host_jit.h"

#include <utility>

#include "codegen/crash_guard.h"
#include "codegen/host_module.h"
#include "codegen/host_platform.h"
#include "codegen/raw_program.h"

namespace egpu::codegen {

class HostProgram::Code : public MachineCode {
 public:
  explicit Code(MachineCode code) : MachineCode(std::move(code)) {}
};

namespace {

Result<HostProgram> compile(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                            Optimization optimization) {
  const std::string main_function = "egpu_program";
  EGPU_ASSIGN(const auto host, HostModule::create(optimization));
  EGPU_ASSIGN(const FunctionTable functions,
              declare_raw(program, place, RawStack::kOwn, host->module(), main_function));
  functions.at(0)->setLinkage(llvm::GlobalValue::ExternalLinkage);
  EGPU_TRY(lower_raw(program, place, RawStack::kOwn, HostPlatform(functions), functions));
  EGPU_ASSIGN(auto compiled, host->compile({&main_function, 1}));
  return HostProgram(std::make_unique<HostProgram::Code>(std::move(*compiled.first)),
                     reinterpret_cast<HostProgram::Entry*>(compiled.second[0]));
}

}  // namespace

HostProgram::HostProgram(std::unique_ptr<Code> code, Entry* entry)
    : code_(std::move(code)), entry_(entry) {}
HostProgram::HostProgram(HostProgram&&) noexcept = default;
HostProgram& HostProgram::operator=(HostProgram&&) noexcept = default;
HostProgram::~HostProgram() = default;

std::uint64_t HostProgram::operator()(void* memory, std::uint64_t size) const {
  return entry_(reinterpret_cast<std::uint64_t>(memory), size, 0, 0, 0);
}

Result<HostProgram> jit(const bpf::DecodedProgram& program, const bpf::SlotPlace& place,
                        Optimization optimization) {
  Result<HostProgram> result = internal_error("the code generator did not run");
  EGPU_TRY(run_guarded([&] { result = compile(program, place, optimization); }));
  return result;
}

}  // namespace egpu::codegen
