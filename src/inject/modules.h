// The replaced libraries and modules of the application, and their kernels' twins.
//
// Handles of the driver are addresses that it uses again. What is known about a handle is therefore
// dropped before the driver forgets it (unload, end of the context), and again whenever the driver
// gives out a handle for something else.
#pragma once

#include <atomic>

#include "cuda/driver_types.h"
#include "inject/handle_table.h"
#include "inject/shared_memory.h"
#include "inject/sync.h"

namespace egpu::inject {

struct Instance;
struct LoadedModule;

inline constexpr int kMaxContexts = 64;

// A kernel handle of the application: launches of it may run `twin`.
struct Kernel {
  const void* handle;
  cuda::Function twin;
  LoadedModule* owner;
  cuda::Context context;       // where `handle` is valid; null: a library's kernel, valid in all
  std::atomic<bool> disabled;  // the twin cannot do what the original can
  Kernel* next;                // of the same owner
  char* twin_name;             // kInstrumentedPrefix + name
  [[nodiscard]] const char* name() const;
};

// That a module's probe table was filled in a context; instance null: it could not be.
struct Binding {
  std::atomic<cuda::Context> context;
  std::atomic<Instance*> instance;
};

// A module of the driver that stands for a replaced library in one context (cuLibraryGetModule).
struct ModuleAlias {
  cuda::Module handle;
  cuda::Context context;
  ModuleAlias* next;
};

struct ModuleIdentity {
  cuda::Library library;  // one of these two
  cuda::Module module;
  cuda::Context context;  // of `module`
};

struct LoadedModule {
  ModuleIdentity identity;
  Mapping image;  // the driver may read it until the unload
  Kernel* kernels;
  ModuleAlias* aliases;
  Binding bindings[kMaxContexts];  // written under the lock of Instances
  LoadedModule* next;              // in Modules, or in a chain that was detached

  // The context in which functions got through `handle` are valid.
  [[nodiscard]] cuda::Context context_of(const void* handle) const;
};

class Modules {
 public:
  // On the launch path: wait-free.
  [[nodiscard]] Kernel* find_kernel(const void* handle) const { return kernels_.find(handle); }
  [[nodiscard]] LoadedModule* find_module(const void* handle) const {
    return modules_.find(handle);
  }

  // The kernel whose twin has this handle.
  [[nodiscard]] const Kernel* find_twin(const void* handle) const { return twins_.find(handle); }

  void add_library(cuda::Library library, Mapping image);
  void add_module(cuda::Module module, cuda::Context context, Mapping image);
  void add_alias(cuda::Module alias, cuda::Context context, LoadedModule& owner);
  // `twin_name` is copied.
  void add_kernel(const void* handle, cuda::Function twin, LoadedModule& owner,
                  cuda::Context context, const char* twin_name);

  // The handle now means something else, or nothing.
  void forget_kernel(const void* handle);

  // Takes out what will end with a handle or a context, before the driver frees the handles. Give
  // the result to release() after the driver is done with it.
  LoadedModule* detach(const void* module_handle);
  LoadedModule* detach_context(cuda::Context context);
  static void release(LoadedModule* chain);

 private:
  void add(ModuleIdentity identity, const void* handle, Mapping image);
  LoadedModule* take_out(LoadedModule* module);
  void erase_kernel(const Kernel& kernel);
  void drop_kernels(LoadedModule& module, cuda::Context context);
  void drop_aliases(LoadedModule& module, cuda::Context context);

  Mutex mutex_;
  HandleTable<Kernel> kernels_;
  HandleTable<Kernel> twins_;  // the same, by the twin's handle
  HandleTable<LoadedModule> modules_;
  LoadedModule* all_ = nullptr;
};

}  // namespace egpu::inject
