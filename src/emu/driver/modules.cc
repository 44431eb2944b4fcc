#include "emu/driver/modules.h"

#include <algorithm>

#include "emu/driver/capture.h"
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"
#include "emu/driver/memory.h"

namespace egpu::emu::driver {
namespace {

Handles<cuda::Module, LoadedModule>& modules() {
  static auto* const instance = new Handles<cuda::Module, LoadedModule>;
  return *instance;
}

Handles<cuda::Function, Function>& functions() {
  static auto* const instance = new Handles<cuda::Function, Function>;
  return *instance;
}

std::shared_ptr<FunctionSettings> settings_for(Library* library, const std::string& kernel,
                                               const Device& device) {
  if (library == nullptr) return std::make_shared<FunctionSettings>();
  return library->kernels.at(kernel)->settings.at(&device);
}

// Lets copies and questions about addresses know the module's variables.
void publish_variables(LoadedModule& module) {
  for (const ptx::Item& item : module.code->ptx.items) {
    const auto* declaration = std::get_if<ptx::Declaration>(&item);
    if (declaration == nullptr) continue;
    for (const ptx::Declarator& declarator : declaration->declarators) {
      const Variable* variable = module.executable->variable(declarator.name);
      if (variable == nullptr || variable->bytes == 0) continue;
      module.variables.push_back(variable->address);
      add_allocation({.address = variable->address,
                      .bytes = variable->bytes,
                      .kind = MemoryKind::kVariable,
                      .context = &module.context,
                      .device = &module.context.device});
    }
  }
}

Status load(cuda::Module* handle, const auto& read_code) {
  Context* context = nullptr;
  EGPU_STATUS(current_context(context));
  if (handle == nullptr) return cuda::kInvalidValue;
  std::shared_ptr<const Code> code;
  EGPU_STATUS(read_code(code));
  ModulePointer module;
  EGPU_STATUS(load_module(*context, code, nullptr, module));
  *handle = handle_of(*module);
  return cuda::kSuccess;
}

}  // namespace

Status load_module(Context& context, const std::shared_ptr<const Code>& code, Library* library,
                   ModulePointer& module) {
  auto executable = emu::Module::load(code->ptx, context.device.memory);
  if (!executable) {
    say("a module cannot be run: " + to_string(executable.error()));
    return cuda::kNotSupported;
  }
  module = std::make_shared<LoadedModule>(LoadedModule{.context = context,
                                                       .code = code,
                                                       .executable = *std::move(executable),
                                                       .library = library,
                                                       .functions = {},
                                                       .variables = {}});
  for (const std::string& name : module->executable->kernel_names()) {
    auto& function = module->functions[name];
    function.reset(new Function{.module = *module,
                                .name = name,
                                .info = *module->executable->info(name),
                                .settings = settings_for(library, name, context.device)});
    functions().add({module, function.get()});
  }
  publish_variables(*module);
  modules().add(module);
  return cuda::kSuccess;
}

void unload_module(LoadedModule& module) {
  for (const std::uint64_t address : module.variables)
    take_allocation(address, [](const Allocation& allocation) {
      return allocation.kind == MemoryKind::kVariable;
    });
  module.variables.clear();
  for (const auto& [name, function] : module.functions) functions().remove(handle_of(*function));
  modules().remove(handle_of(module));
}

cuda::Module handle_of(const LoadedModule& module) {
  return Handles<cuda::Module, LoadedModule>::of(&module);
}
cuda::Function handle_of(const Function& function) {
  return Handles<cuda::Function, Function>::of(&function);
}

Status find_module(cuda::Module handle, ModulePointer& module) {
  EGPU_STATUS(check_driver());
  module = modules().find(handle);
  return module != nullptr ? module->context.sticky.load() : cuda::kInvalidHandle;
}

Status find_function(cuda::Function handle, FunctionPointer& function, Context* context) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr) return cuda::kInvalidHandle;
  function = functions().find(handle);
  if (function != nullptr) return cuda::kSuccess;
  KernelPointer kernel;
  EGPU_STATUS(find_kernel(reinterpret_cast<cuda::Kernel>(handle), kernel));
  if (context == nullptr) EGPU_STATUS(current_context(context));
  return function_in(kernel, *context, function);
}

Status load_code(Function& function) {
  if (function.code != nullptr) return cuda::kSuccess;
  auto kernel = function.module.executable->kernel(function.name);
  if (!kernel) {
    say("kernel " + function.name + " cannot be run: " + to_string(kernel.error()));
    return cuda::kNotSupported;
  }
  function.code = *kernel;
  return cuda::kSuccess;
}

void drop_modules(Context& context) {
  drop_library_modules(context);
  for (const ModulePointer& module : modules().all())
    if (&module->context == &context) unload_module(*module);
}

Status module_load(cuda::Module* handle, const char* path) {
  return load(handle, [&](auto& code) { return load_file(path, {}, code); });
}

Status module_load_data(cuda::Module* handle, const void* image) {
  return load(handle, [&](auto& code) { return load_image(image, {}, code); });
}

Status module_load_data_ex(cuda::Module* handle, const void* image, unsigned count,
                           cuda::JitOption* options, void** values) {
  JitOptions jit;
  EGPU_STATUS(JitOptions::read(count, options, values, jit));
  return load(handle, [&](auto& code) { return load_image(image, jit, code); });
}

// Code that still runs stays until it has ended.
Status module_unload(cuda::Module handle) {
  ModulePointer module;
  EGPU_STATUS(find_module(handle, module));
  if (module->library != nullptr) return cuda::kNotPermitted;
  unload_module(*module);
  return cuda::kSuccess;
}

Status module_get_loading_mode(int* mode) {
  constexpr int kLazy = 2;  // CU_MODULE_LAZY_LOADING: kernels are translated when they are launched
  EGPU_STATUS(check_driver());
  if (mode == nullptr) return cuda::kInvalidValue;
  *mode = kLazy;
  return cuda::kSuccess;
}

Status module_get_function(cuda::Function* handle, cuda::Module module_handle, const char* name) {
  ModulePointer module;
  EGPU_STATUS(find_module(module_handle, module));
  if (handle == nullptr || name == nullptr) return cuda::kInvalidValue;
  const auto found = module->functions.find(name);
  if (found == module->functions.end()) return cuda::kNotFound;
  *handle = handle_of(*found->second);
  return cuda::kSuccess;
}

Status module_get_function_count(unsigned* count, cuda::Module handle) {
  ModulePointer module;
  EGPU_STATUS(find_module(handle, module));
  if (count == nullptr) return cuda::kInvalidValue;
  *count = static_cast<unsigned>(module->functions.size());
  return cuda::kSuccess;
}

Status module_enumerate_functions(cuda::Function* handles, unsigned count, cuda::Module handle) {
  ModulePointer module;
  EGPU_STATUS(find_module(handle, module));
  if (handles == nullptr) return cuda::kInvalidValue;
  unsigned i = 0;
  for (const auto& [name, function] : module->functions)
    if (i < count) handles[i++] = handle_of(*function);
  return cuda::kSuccess;
}

Status module_get_global(DevicePointer* address, std::size_t* bytes, cuda::Module handle,
                         const char* name) {
  ModulePointer module;
  EGPU_STATUS(find_module(handle, module));
  if (name == nullptr) return cuda::kInvalidValue;
  const Variable* variable = module->executable->variable(name);
  if (variable == nullptr) return cuda::kNotFound;
  if (address != nullptr) *address = variable->address;
  if (bytes != nullptr) *bytes = variable->bytes;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
