// Handles of kernels: each that the application gets from a replaced module is paired with its
// twin's.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/probe_table.h"
#include "inject/hooks.h"
#include "inject/report.h"
#include "inject/scopes.h"

namespace egpu::inject::hooks {
namespace {

cuda::Function as_function(cuda::Kernel kernel) { return reinterpret_cast<cuda::Function>(kernel); }
cuda::Kernel as_kernel(cuda::Function function) { return reinterpret_cast<cuda::Kernel>(function); }

// Whether what is known about `handle` is still true; what is not is forgotten.
bool known(const void* handle, const LoadedModule* owner, const char* name) {
  const Kernel* kernel = session.modules.find_kernel(handle);
  if (kernel == nullptr) return false;
  if (kernel->owner == owner && std::strcmp(kernel->name(), name) == 0) return true;
  session.modules.forget_kernel(handle);
  return false;
}

// `look_up(name, function)` asks the driver for a function of the same module.
template <class LookUp>
void pair_with_twin(const void* handle, LoadedModule* owner, cuda::Context context,
                    const char* name, LookUp look_up) {
  if (known(handle, owner, name) || owner == nullptr) return;
  const std::size_t size = sizeof abi::kInstrumentedPrefix + std::strlen(name);
  auto* twin_name = static_cast<char*>(std::malloc(size));
  if (twin_name == nullptr) return;
  std::snprintf(twin_name, size, "%s%s", abi::kInstrumentedPrefix, name);
  cuda::Function twin = nullptr;
  if (look_up(twin_name, &twin) == cuda::kSuccess)
    session.modules.add_kernel(handle, twin, *owner, context, twin_name);
  std::free(twin_name);
}

void mirror_failed(Kernel& kernel, cuda::FunctionAttribute attribute, int value,
                   cuda::Status status) {
  if (kernel.disabled.exchange(true)) return;
  report(
      "kernel %s: attribute %d = %d does not fit the instrumented kernel (driver error %d), the "
      "original runs from now on",
      kernel.name(), attribute, value, status);
}

}  // namespace

cuda::Status library_get_kernel(cuda::Kernel* kernel, cuda::Library library, const char* name) {
  const cuda::Status status = session.driver.library_get_kernel(kernel, library, name);
  if (status != cuda::kSuccess || hands_off()) return status;
  const NestingGuard guard;
  pair_with_twin(*kernel, session.modules.find_module(library), nullptr, name,
                 [&](const char* twin_name, cuda::Function* twin) {
                   cuda::Kernel found = nullptr;
                   const cuda::Status result =
                       session.driver.library_get_kernel(&found, library, twin_name);
                   *twin = as_function(found);
                   return result;
                 });
  return status;
}

cuda::Status library_get_module(cuda::Module* module, cuda::Library library) {
  const cuda::Status status = session.driver.library_get_module(module, library);
  if (status != cuda::kSuccess || hands_off()) return status;
  if (LoadedModule* owner = session.modules.find_module(library); owner != nullptr)
    session.modules.add_alias(*module, current_context(), *owner);
  return status;
}

cuda::Status kernel_get_function(cuda::Function* function, cuda::Kernel kernel) {
  const cuda::Status status = session.driver.kernel_get_function(function, kernel);
  if (status != cuda::kSuccess || hands_off()) return status;
  const NestingGuard guard;
  const Kernel* entry = session.modules.find_kernel(kernel);
  if (entry == nullptr) {
    session.modules.forget_kernel(*function);
    return status;
  }
  pair_with_twin(*function, entry->owner, current_context(), entry->name(),
                 [&](const char*, cuda::Function* twin) {
                   return session.driver.kernel_get_function(twin, as_kernel(entry->twin));
                 });
  return status;
}

cuda::Status module_get_function(cuda::Function* function, cuda::Module module, const char* name) {
  const cuda::Status status = session.driver.module_get_function(function, module, name);
  if (status != cuda::kSuccess || hands_off()) return status;
  const NestingGuard guard;
  LoadedModule* owner = session.modules.find_module(module);
  pair_with_twin(*function, owner, owner != nullptr ? owner->context_of(module) : nullptr, name,
                 [&](const char* twin_name, cuda::Function* twin) {
                   return session.driver.module_get_function(twin, module, twin_name);
                 });
  return status;
}

cuda::Status kernel_set_attribute(cuda::FunctionAttribute attribute, int value, cuda::Kernel kernel,
                                  cuda::Device device) {
  const cuda::Status status = session.driver.kernel_set_attribute(attribute, value, kernel, device);
  if (status != cuda::kSuccess || hands_off()) return status;
  const NestingGuard guard;
  if (Kernel* entry = session.modules.find_kernel(kernel); entry != nullptr) {
    const cuda::Status mirrored =
        session.driver.kernel_set_attribute(attribute, value, as_kernel(entry->twin), device);
    if (mirrored != cuda::kSuccess) mirror_failed(*entry, attribute, value, mirrored);
  }
  return status;
}

cuda::Status function_set_attribute(cuda::Function function, cuda::FunctionAttribute attribute,
                                    int value) {
  const cuda::Status status = session.driver.function_set_attribute(function, attribute, value);
  if (status != cuda::kSuccess || hands_off()) return status;
  const NestingGuard guard;
  if (Kernel* entry = session.modules.find_kernel(function); entry != nullptr) {
    const cuda::Status mirrored =
        session.driver.function_set_attribute(entry->twin, attribute, value);
    if (mirrored != cuda::kSuccess) mirror_failed(*entry, attribute, value, mirrored);
  }
  return status;
}

}  // namespace egpu::inject::hooks
