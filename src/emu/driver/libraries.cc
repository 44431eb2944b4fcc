// Libraries: code that is loaded into a context when it is first used there.
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/handles.h"
#include "emu/driver/modules.h"

namespace egpu::emu::driver {
namespace {

Handles<cuda::Library, Library>& libraries() {
  static auto* const instance = new Handles<cuda::Library, Library>;
  return *instance;
}

Handles<cuda::Kernel, LibraryKernel>& kernels() {
  static auto* const instance = new Handles<cuda::Kernel, LibraryKernel>;
  return *instance;
}

cuda::Kernel handle_of(const LibraryKernel& kernel) {
  return Handles<cuda::Kernel, LibraryKernel>::of(&kernel);
}

Status find_library(cuda::Library handle, std::shared_ptr<Library>& library) {
  EGPU_STATUS(check_driver());
  library = libraries().find(handle);
  return library != nullptr ? cuda::kSuccess : cuda::kInvalidHandle;
}

void add_kernel(const std::shared_ptr<Library>& library, const std::string& name) {
  auto& kernel = library->kernels[name];
  if (kernel != nullptr) return;
  kernel.reset(new LibraryKernel{.library = *library, .name = name, .settings = {}});
  for (const auto& device : driver().devices)
    kernel->settings[device.get()] = std::make_shared<FunctionSettings>();
  kernels().add({library, kernel.get()});
}

// CU_LIBRARY_...
Status check_library_options(const cuda::LibraryOption* options, unsigned count) {
  constexpr cuda::LibraryOption kLast = 1;  // BINARY_IS_PRESERVED
  if (count > 0 && options == nullptr) return cuda::kInvalidValue;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] < 0 || options[i] > kLast) return cuda::kInvalidValue;
  return cuda::kSuccess;
}

Status load(cuda::Library* handle, const auto& read_code) {
  EGPU_STATUS(check_driver());
  if (handle == nullptr) return cuda::kInvalidValue;
  const auto library = std::make_shared<Library>();
  EGPU_STATUS(read_code(library->code));
  for (const ptx::Function* entry : library->code->ptx.entries())
    add_kernel(library, std::string(entry->name));
  *handle = libraries().add(library);
  return cuda::kSuccess;
}

Status module_in(Library& library, Context& context, ModulePointer& module) {
  const std::lock_guard lock(library.mutex);
  ModulePointer& loaded = library.modules[&context];
  if (loaded == nullptr) {
    if (const Status status = load_module(context, library.code, &library, loaded);
        status != cuda::kSuccess) {
      library.modules.erase(&context);
      return status;
    }
  }
  module = loaded;
  return cuda::kSuccess;
}

Status module_here(cuda::Library handle, ModulePointer& module) {
  Context* context = nullptr;
  std::shared_ptr<Library> library;
  EGPU_STATUS(current_context(context));
  EGPU_STATUS(find_library(handle, library));
  return module_in(*library, *context, module);
}

bool is_managed(const Code& code, std::string_view name) {
  for (const ptx::Item& item : code.ptx.items) {
    const auto* declaration = std::get_if<ptx::Declaration>(&item);
    if (declaration == nullptr ||
        declaration->specifiers.find(".managed") == std::string_view::npos)
      continue;
    for (const ptx::Declarator& declarator : declaration->declarators)
      if (declarator.name == name) return true;
  }
  return false;
}

}  // namespace

Status find_kernel(cuda::Kernel handle, KernelPointer& kernel) {
  EGPU_STATUS(check_driver());
  kernel = kernels().find(handle);
  return kernel != nullptr ? cuda::kSuccess : cuda::kInvalidHandle;
}

bool is_kernel(cuda::Function handle) {
  return kernels().find(reinterpret_cast<cuda::Kernel>(handle)) != nullptr;
}

Status function_in(const KernelPointer& kernel, Context& context, FunctionPointer& function) {
  ModulePointer module;
  EGPU_STATUS(module_in(kernel->library, context, module));
  const auto found = module->functions.find(kernel->name);
  if (found == module->functions.end()) return cuda::kNotFound;
  function = {module, found->second.get()};
  return cuda::kSuccess;
}

void drop_library_modules(Context& context) {
  for (const auto& library : libraries().all()) {
    const std::lock_guard lock(library->mutex);
    const auto found = library->modules.find(&context);
    if (found == library->modules.end()) continue;
    unload_module(*found->second);
    library->modules.erase(found);
  }
}

Status library_load_data(cuda::Library* handle, const void* image, cuda::JitOption* jit_options,
                         void** jit_values, unsigned jit_count, cuda::LibraryOption* options,
                         void**, unsigned count) {
  JitOptions jit;
  EGPU_STATUS(JitOptions::read(jit_count, jit_options, jit_values, jit));
  EGPU_STATUS(check_library_options(options, count));
  return load(handle, [&](auto& code) { return load_image(image, jit, code); });
}

Status library_load_from_file(cuda::Library* handle, const char* path, cuda::JitOption* jit_options,
                              void** jit_values, unsigned jit_count, cuda::LibraryOption* options,
                              void**, unsigned count) {
  JitOptions jit;
  EGPU_STATUS(JitOptions::read(jit_count, jit_options, jit_values, jit));
  EGPU_STATUS(check_library_options(options, count));
  return load(handle, [&](auto& code) { return load_file(path, jit, code); });
}

Status library_unload(cuda::Library handle) {
  EGPU_STATUS(check_driver());
  const auto library = libraries().remove(handle);
  if (library == nullptr) return cuda::kInvalidHandle;
  const std::lock_guard lock(library->mutex);
  for (const auto& [name, kernel] : library->kernels) kernels().remove(handle_of(*kernel));
  for (const auto& [context, module] : library->modules) unload_module(*module);
  library->modules.clear();
  return cuda::kSuccess;
}

Status library_get_module(cuda::Module* module_handle, cuda::Library handle) {
  ModulePointer module;
  EGPU_STATUS(module_here(handle, module));
  if (module_handle == nullptr) return cuda::kInvalidValue;
  *module_handle = handle_of(*module);
  return cuda::kSuccess;
}

Status library_get_kernel(cuda::Kernel* kernel, cuda::Library handle, const char* name) {
  std::shared_ptr<Library> library;
  EGPU_STATUS(find_library(handle, library));
  if (kernel == nullptr || name == nullptr) return cuda::kInvalidValue;
  const auto found = library->kernels.find(name);
  if (found == library->kernels.end()) return cuda::kNotFound;
  *kernel = handle_of(*found->second);
  return cuda::kSuccess;
}

Status library_get_kernel_count(unsigned* count, cuda::Library handle) {
  std::shared_ptr<Library> library;
  EGPU_STATUS(find_library(handle, library));
  if (count == nullptr) return cuda::kInvalidValue;
  *count = static_cast<unsigned>(library->kernels.size());
  return cuda::kSuccess;
}

Status library_enumerate_kernels(cuda::Kernel* handles, unsigned count, cuda::Library handle) {
  std::shared_ptr<Library> library;
  EGPU_STATUS(find_library(handle, library));
  if (handles == nullptr) return cuda::kInvalidValue;
  unsigned i = 0;
  for (const auto& [name, kernel] : library->kernels)
    if (i < count) handles[i++] = handle_of(*kernel);
  return cuda::kSuccess;
}

Status library_get_global(DevicePointer* address, std::size_t* bytes, cuda::Library handle,
                          const char* name) {
  ModulePointer module;
  EGPU_STATUS(module_here(handle, module));
  return module_get_global(address, bytes, handle_of(*module), name);
}

Status library_get_managed(DevicePointer* address, std::size_t* bytes, cuda::Library handle,
                           const char* name) {
  std::shared_ptr<Library> library;
  EGPU_STATUS(find_library(handle, library));
  if (name == nullptr) return cuda::kInvalidValue;
  if (!is_managed(*library->code, name)) return cuda::kNotFound;
  return library_get_global(address, bytes, handle, name);
}

Status kernel_get_function(cuda::Function* handle, cuda::Kernel kernel_handle) {
  Context* context = nullptr;
  KernelPointer kernel;
  FunctionPointer function;
  EGPU_STATUS(current_context(context));
  EGPU_STATUS(find_kernel(kernel_handle, kernel));
  if (handle == nullptr) return cuda::kInvalidValue;
  EGPU_STATUS(function_in(kernel, *context, function));
  *handle = handle_of(*function);
  return cuda::kSuccess;
}

Status kernel_get_library(cuda::Library* handle, cuda::Kernel kernel_handle) {
  KernelPointer kernel;
  EGPU_STATUS(find_kernel(kernel_handle, kernel));
  if (handle == nullptr) return cuda::kInvalidValue;
  *handle = Handles<cuda::Library, Library>::of(&kernel->library);
  return cuda::kSuccess;
}

Status kernel_get_name(const char** name, cuda::Kernel handle) {
  KernelPointer kernel;
  EGPU_STATUS(find_kernel(handle, kernel));
  if (name == nullptr) return cuda::kInvalidValue;
  *name = kernel->name.c_str();
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
