// Libraries, modules, kernels and their attributes.
#include "modules.h"

#include <fstream>
#include <iterator>

#include "abi/probe_table.h"
#include "entry.h"

namespace fake_cuda {
namespace {

template <class Handle, class Fake>
Handle as(Fake* fake) {
  return reinterpret_cast<Handle>(fake);
}
FakeModule* as_fake(cuda::Module module) { return reinterpret_cast<FakeModule*>(module); }

// The library, or null where the handle is not, or no longer, one.
FakeLibrary* as_fake(cuda::Library library) {
  const auto found = state().libraries.find(reinterpret_cast<FakeLibrary*>(library));
  return found != state().libraries.end() ? found->second.get() : nullptr;
}

cuda::Status check_image(const Image& image) {
  if (image.kernels.empty()) return cuda::kInvalidImage;
  for (const std::string& kernel : image.kernels)
    if (is_twin(kernel)) return setting("FAKE_CUDA_FAIL_REPLACED");
  return cuda::kSuccess;
}

bool defines(const Image& image, const std::string& name) {
  for (const std::string& kernel : image.kernels)
    if (kernel == name) return true;
  return false;
}

std::unique_ptr<FakeModule> make_module(const Image& image, FakeContext* context) {
  auto module = std::make_unique<FakeModule>();
  module->image = image;
  module->context = context;
  module->table.resize(image.table_bytes / 8);
  return module;
}

std::string read_text(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

cuda::Status load_library(cuda::Library* library, const std::string& text) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  auto loaded = std::make_unique<FakeLibrary>();
  loaded->image = scan_image(text);
  if (const cuda::Status status = check_image(loaded->image); status != cuda::kSuccess)
    return status;
  *library = as<cuda::Library>(loaded.get());
  FakeLibrary* handle = loaded.get();
  state().libraries.emplace(handle, std::move(loaded));
  return cuda::kSuccess;
}

cuda::Status load_module(cuda::Module* module, const std::string& text) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  const Image image = scan_image(text);
  if (const cuda::Status status = check_image(image); status != cuda::kSuccess) return status;
  auto loaded = make_module(image, current());
  *module = as<cuda::Module>(loaded.get());
  FakeModule* handle = loaded.get();
  current()->modules.emplace(handle, std::move(loaded));
  return cuda::kSuccess;
}

cuda::Status function_of(FakeModule& module, const std::string& name, cuda::Function* function) {
  if (!defines(module.image, name)) return cuda::kNotFound;
  auto& entry = module.functions[name];
  if (entry == nullptr) {
    entry = std::make_unique<FakeFunction>();
    entry->name = name;
    entry->module = &module;
  }
  *function = as<cuda::Function>(entry.get());
  return cuda::kSuccess;
}

cuda::Status global_of(FakeModule& module, const std::string& name, cuda::DevicePointer* address,
                       std::size_t* size) {
  if (name != egpu::abi::kProbeTableSymbol || module.table.empty()) return cuda::kNotFound;
  *address = reinterpret_cast<cuda::DevicePointer>(module.table.data());
  *size = module.table.size() * 8;
  return cuda::kSuccess;
}

cuda::Status set_attribute(const std::string& name, int attribute, int value) {
  if (is_twin(name) && setting("FAKE_CUDA_FAIL_ATTRIBUTE") != 0)
    return setting("FAKE_CUDA_FAIL_ATTRIBUTE");
  state().records[name].attributes[attribute] = value;
  return cuda::kSuccess;
}

}  // namespace

FakeModule& module_of(FakeLibrary& library, FakeContext* context) {
  auto& module = library.modules[context];
  if (module == nullptr) module = make_module(library.image, context);
  return *module;
}

extern "C" {

cuda::Status fake_cuLibraryLoadData(cuda::Library* library, const void* code, cuda::JitOption*,
                                    void**, unsigned, cuda::LibraryOption*, void**, unsigned) {
  return load_library(library, static_cast<const char*>(code));
}
FAKE_CUDA_EXPORT(cuLibraryLoadData);

cuda::Status fake_cuLibraryLoadFromFile(cuda::Library* library, const char* path, cuda::JitOption*,
                                        void**, unsigned, cuda::LibraryOption*, void**, unsigned) {
  return load_library(library, read_text(path));
}
FAKE_CUDA_EXPORT(cuLibraryLoadFromFile);

cuda::Status fake_cuLibraryUnload(cuda::Library library) {
  const std::lock_guard lock(state().mutex);
  return state().libraries.erase(reinterpret_cast<FakeLibrary*>(library)) == 1
             ? cuda::kSuccess
             : cuda::kInvalidHandle;
}
FAKE_CUDA_EXPORT(cuLibraryUnload);

cuda::Status fake_cuLibraryGetKernel(cuda::Kernel* kernel, cuda::Library library,
                                     const char* name) {
  const std::lock_guard lock(state().mutex);
  FakeLibrary* fake = as_fake(library);
  if (fake == nullptr) return cuda::kInvalidHandle;
  if (!defines(fake->image, name)) return cuda::kNotFound;
  auto& entry = fake->kernels[name];
  if (entry == nullptr) {
    entry = std::make_unique<FakeKernel>();
    entry->name = name;
    entry->library = fake;
  }
  *kernel = as<cuda::Kernel>(entry.get());
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuLibraryGetKernel);

cuda::Status fake_cuLibraryGetModule(cuda::Module* module, cuda::Library library) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  FakeLibrary* fake = as_fake(library);
  if (fake == nullptr) return cuda::kInvalidHandle;
  *module = as<cuda::Module>(&module_of(*fake, current()));
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuLibraryGetModule);

cuda::Status fake_cuLibraryGetGlobal(cuda::DevicePointer* address, std::size_t* size,
                                     cuda::Library library, const char* name) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  FakeLibrary* fake = as_fake(library);
  return fake != nullptr ? global_of(module_of(*fake, current()), name, address, size)
                         : cuda::kInvalidHandle;
}
FAKE_CUDA_EXPORT(cuLibraryGetGlobal);

cuda::Status fake_cuKernelGetFunction(cuda::Function* function, cuda::Kernel kernel) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  const auto* fake = reinterpret_cast<FakeKernel*>(kernel);
  return function_of(module_of(*fake->library, current()), fake->name, function);
}
FAKE_CUDA_EXPORT(cuKernelGetFunction);

cuda::Status fake_cuKernelSetAttribute(cuda::FunctionAttribute attribute, int value,
                                       cuda::Kernel kernel, cuda::Device) {
  const std::lock_guard lock(state().mutex);
  return set_attribute(reinterpret_cast<FakeKernel*>(kernel)->name, attribute, value);
}
FAKE_CUDA_EXPORT(cuKernelSetAttribute);

cuda::Status fake_cuModuleLoad(cuda::Module* module, const char* path) {
  return load_module(module, read_text(path));
}
FAKE_CUDA_EXPORT(cuModuleLoad);

cuda::Status fake_cuModuleLoadData(cuda::Module* module, const void* image) {
  return load_module(module, static_cast<const char*>(image));
}
FAKE_CUDA_EXPORT(cuModuleLoadData);

// Through the exported function, as the real driver may: a hook must not take that for the
// application's call.
cuda::Status fake_cuModuleLoadDataEx(cuda::Module* module, const void* image, unsigned,
                                     cuda::JitOption*, void**) {
  return cuModuleLoadData(module, image);
}
FAKE_CUDA_EXPORT(cuModuleLoadDataEx);

cuda::Status fake_cuModuleLoadFatBinary(cuda::Module* module, const void* image) {
  return load_module(module, static_cast<const char*>(image));
}
FAKE_CUDA_EXPORT(cuModuleLoadFatBinary);

cuda::Status fake_cuModuleUnload(cuda::Module module) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  return current()->modules.erase(as_fake(module)) == 1 ? cuda::kSuccess : cuda::kInvalidHandle;
}
FAKE_CUDA_EXPORT(cuModuleUnload);

cuda::Status fake_cuModuleGetFunction(cuda::Function* function, cuda::Module module,
                                      const char* name) {
  const std::lock_guard lock(state().mutex);
  return function_of(*as_fake(module), name, function);
}
FAKE_CUDA_EXPORT(cuModuleGetFunction);

cuda::Status fake_cuModuleGetGlobal_v2(cuda::DevicePointer* address, std::size_t* size,
                                       cuda::Module module, const char* name) {
  const std::lock_guard lock(state().mutex);
  return global_of(*as_fake(module), name, address, size);
}
FAKE_CUDA_EXPORT(cuModuleGetGlobal_v2);

cuda::Status fake_cuFuncSetAttribute(cuda::Function function, cuda::FunctionAttribute attribute,
                                     int value) {
  const std::lock_guard lock(state().mutex);
  return set_attribute(reinterpret_cast<FakeFunction*>(function)->name, attribute, value);
}
FAKE_CUDA_EXPORT(cuFuncSetAttribute);

}  // extern "C"
}  // namespace fake_cuda
