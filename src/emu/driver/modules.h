// Loaded code: modules belong to a context, libraries to none and have a module in each context
// that uses them.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "emu/driver/images.h"
#include "emu/module.h"

namespace egpu::emu::driver {

class Context;
struct LoadedModule;
struct Library;

// What the application set for a kernel: for one function, or for a library's kernel on a device.
struct FunctionSettings {
  std::atomic<int> max_dynamic_shared = -1;  // -1: not set
  std::atomic<int> shared_carveout = -1;
  std::atomic<int> non_portable_cluster = 0;
  std::atomic<int> cluster_scheduling = 0;
  std::array<std::atomic<int>, 3> required_cluster = {};
};

struct Function {
  LoadedModule& module;
  const std::string name;
  const KernelInfo& info;
  const std::shared_ptr<FunctionSettings> settings;
  std::atomic<const emu::Kernel*> code = nullptr;  // null: not asked for yet
};
// Keeps the module alive too.
using FunctionPointer = std::shared_ptr<Function>;

struct LoadedModule {
  Context& context;
  std::shared_ptr<const Code> code;
  std::unique_ptr<emu::Module> executable;
  Library* library = nullptr;  // null: loaded as a module
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;  // every kernel
  std::vector<std::uint64_t> variables;                                     // their addresses
};
using ModulePointer = std::shared_ptr<LoadedModule>;

// A library's kernel, in no context.
struct LibraryKernel {
  Library& library;
  const std::string name;
  std::map<const Device*, std::shared_ptr<FunctionSettings>> settings;  // of every device
};
using KernelPointer = std::shared_ptr<LibraryKernel>;

struct Library {
  std::shared_ptr<const Code> code;
  std::map<std::string, std::unique_ptr<LibraryKernel>, std::less<>> kernels;
  std::mutex mutex;
  std::map<Context*, ModulePointer> modules;
};

// Loads the code into the context. `library`: whose module it is to be, or null.
Status load_module(Context& context, const std::shared_ptr<const Code>& code, Library* library,
                   ModulePointer& module);
// Ends the handles of the module and its functions.
void unload_module(LoadedModule& module);

Status find_module(cuda::Module handle, ModulePointer& module);
cuda::Module handle_of(const LoadedModule& module);

// A function handle, or a kernel handle that stands for its function in `context`. A null context:
// the current one.
Status find_function(cuda::Function handle, FunctionPointer& function, Context* context = nullptr);
Status find_kernel(cuda::Kernel handle, KernelPointer& kernel);
Status function_in(const KernelPointer& kernel, Context& context, FunctionPointer& function);
cuda::Function handle_of(const Function& function);
// Whether the handle is a kernel's.
bool is_kernel(cuda::Function handle);

// Sees to it that `code` is there; says what the executor does not know where it cannot be run.
Status load_code(Function& function);

// Ends the context's modules, those of libraries too.
void drop_modules(Context& context);
void drop_library_modules(Context& context);

}  // namespace egpu::emu::driver
