#include "codegen/host_object.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <string>
#include <utility>

#include "abi/snapshot.h"
#include "bpf/map_spec.h"
#include "codegen/checked_program.h"
#include "codegen/crash_guard.h"
#include "codegen/host_module.h"
#include "codegen/host_object_platform.h"
#include "device/map_functions.h"

namespace egpu::codegen {
namespace {

struct Unmap {
  std::size_t bytes = 0;
  void operator()(std::byte* memory) const { ::munmap(memory, bytes); }
};
using MapMemory = std::unique_ptr<std::byte, Unmap>;

Result<MapMemory> allocate(const bpf::MapDefinition& map) {
  const std::uint64_t bytes = abi::map_bytes(bpf::map_spec(map), 1);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return input_error(fmt::format("no memory for map {}: {} bytes", map.name, bytes))
        .hint("make max_entries smaller");
  MapMemory owned(static_cast<std::byte*>(memory), Unmap{bytes});
  if (!map.initial.empty()) std::memcpy(owned.get(), map.initial.data(), map.initial.size());
  return owned;
}

using Entry = std::uint64_t(std::uint64_t context);

}  // namespace

class HostObject::State {
 public:
  TraceSink trace;
  std::vector<MapMemory> maps;
  std::unique_ptr<MachineCode> code;
  std::vector<Entry*> entries;
};

namespace {

// What all programs share.
struct HostParts {
  const bpf::Object& object;
  const verifier::MapUses& uses;
  const HostMemory& memory;
};

// u64 `name`(u64 context) and the functions that it calls.
Result<void> lower_program(const HostParts& parts, const verifier::CheckedProgram& program,
                           const std::string& name, llvm::Module& module) {
  EGPU_TRY(check_shape(program));
  const FunctionTable functions = declare_functions(module, program, name, 0);
  const HostObjectPlatform platform(parts.object, parts.uses, parts.memory, functions);
  const auto lower = [&](std::size_t index, llvm::Function& function,
                         llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", &function));
    return lower_function(program, index, platform, builder, arguments);
  };
  for (const auto& [first, function] : functions)
    EGPU_TRY(lower(program.program->function_of(first), *function, arguments_of(*function)));

  auto* number = llvm::Type::getInt64Ty(module.getContext());
  auto* main = llvm::Function::Create(llvm::FunctionType::get(number, {number}, false),
                                      llvm::GlobalValue::ExternalLinkage, name, module);
  main->addFnAttr(llvm::Attribute::NoUnwind);
  return lower(0, *main, {main->getArg(0)});
}

Result<HostObject> compile(const bpf::Object& object,
                           const std::vector<verifier::CheckedProgram>& programs,
                           Optimization optimization, TraceSink trace) {
  auto state = std::make_unique<HostObject::State>();
  state->trace = std::move(trace);
  HostMemory memory{.maps = {}, .trace = &state->trace};
  for (const bpf::MapDefinition& map : object.maps) {
    EGPU_ASSIGN(MapMemory allocated, allocate(map));
    memory.maps.push_back(reinterpret_cast<std::uint64_t>(allocated.get()));
    state->maps.push_back(std::move(allocated));
  }

  EGPU_ASSIGN(const auto host, HostModule::create(optimization));
  std::vector<std::string> names;
  const verifier::MapUses uses = verifier::uses_of(programs);
  for (const verifier::CheckedProgram& program : programs) {
    names.push_back("program_" + std::to_string(names.size()));
    EGPU_TRY(lower_program({object, uses, memory}, program, names.back(), host->module()));
  }
  std::vector<HostSymbol> symbols;
  for (const HostHelper& helper : host_helpers()) symbols.push_back({helper.name, helper.address});
  for (const device::MapFunction& function : device::map_functions())
    symbols.push_back({function.name, function.address});
  EGPU_ASSIGN(auto compiled, host->compile(names, symbols));
  state->code = std::move(compiled.first);
  for (void* entry : compiled.second) state->entries.push_back(reinterpret_cast<Entry*>(entry));
  return HostObject(std::move(state));
}

}  // namespace

HostObject::HostObject(std::unique_ptr<State> state) : state_(std::move(state)) {}
HostObject::HostObject(HostObject&&) noexcept = default;
HostObject& HostObject::operator=(HostObject&&) noexcept = default;
HostObject::~HostObject() = default;

std::uint64_t HostObject::run(std::size_t program, const ContextValues& context) const {
  return state_->entries.at(program)(reinterpret_cast<std::uint64_t>(&context));
}

std::span<std::byte> HostObject::map(std::size_t index) const {
  const MapMemory& memory = state_->maps.at(index);
  return {memory.get(), memory.get_deleter().bytes};
}

Result<HostObject> jit(const bpf::Object& object,
                       const std::vector<verifier::CheckedProgram>& programs,
                       Optimization optimization, TraceSink trace) {
  Result<HostObject> result = internal_error("the code generator did not run");
  EGPU_TRY(
      run_guarded([&] { result = compile(object, programs, optimization, std::move(trace)); }));
  return result;
}

}  // namespace egpu::codegen
