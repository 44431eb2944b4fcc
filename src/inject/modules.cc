#include "inject/modules.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "abi/probe_table.h"

namespace egpu::inject {
namespace {

// Zeroed memory, which is a valid start for every struct here. Null: out of memory; what was to be
// remembered stays unknown, and its launches run the original.
template <class T>
T* allocate() {
  return static_cast<T*>(std::calloc(1, sizeof(T)));
}

void free_kernel(Kernel* kernel) {
  std::free(kernel->twin_name);
  std::free(kernel);
}

// Unlinks the elements of a singly linked list that match, and hands each to `drop`.
template <class T, class Matches, class Drop>
void remove_if(T*& head, Matches matches, Drop drop) {
  for (T** link = &head; *link != nullptr;) {
    T* element = *link;
    if (!matches(*element)) {
      link = &element->next;
      continue;
    }
    *link = element->next;
    drop(element);
  }
}

}  // namespace

const char* Kernel::name() const { return twin_name + sizeof(abi::kInstrumentedPrefix) - 1; }

cuda::Context LoadedModule::context_of(const void* handle) const {
  for (const ModuleAlias* alias = aliases; alias != nullptr; alias = alias->next)
    if (alias->handle == handle) return alias->context;
  return identity.context;
}

void Modules::add_library(cuda::Library library, Mapping image) {
  add({.library = library, .module = nullptr, .context = nullptr}, library, std::move(image));
}

void Modules::add_module(cuda::Module module, cuda::Context context, Mapping image) {
  add({.library = nullptr, .module = module, .context = context}, module, std::move(image));
}

void Modules::add(ModuleIdentity identity, const void* handle, Mapping image) {
  auto* module = allocate<LoadedModule>();
  if (module == nullptr) {
    image.release();  // the driver has it
    return;
  }
  module->identity = identity;
  module->image = std::move(image);
  const Lock lock(mutex_);
  module->next = all_;
  all_ = module;
  modules_.insert(handle, module);
}

void Modules::add_alias(cuda::Module alias, cuda::Context context, LoadedModule& owner) {
  const Lock lock(mutex_);
  if (modules_.find(alias) == &owner) return;
  auto* entry = allocate<ModuleAlias>();
  if (entry == nullptr) return;
  entry->handle = alias;
  entry->context = context;
  entry->next = owner.aliases;
  owner.aliases = entry;
  modules_.insert(alias, &owner);
}

void Modules::add_kernel(const void* handle, cuda::Function twin, LoadedModule& owner,
                         cuda::Context context, const char* twin_name) {
  auto* kernel = allocate<Kernel>();
  if (kernel == nullptr) return;
  kernel->handle = handle;
  kernel->twin = twin;
  kernel->owner = &owner;
  kernel->context = context;
  kernel->twin_name = ::strdup(twin_name);
  const Lock lock(mutex_);
  // Another thread may have asked for the same kernel meanwhile; its entry may be in use.
  if (kernel->twin_name == nullptr || kernels_.find(handle) != nullptr ||
      !kernels_.insert(handle, kernel)) {
    free_kernel(kernel);
    return;
  }
  twins_.insert(twin, kernel);
  kernel->next = owner.kernels;
  owner.kernels = kernel;
}

// From the tables, where its handles do not stand for another one already.
void Modules::erase_kernel(const Kernel& kernel) {
  if (kernels_.find(kernel.handle) == &kernel) kernels_.erase(kernel.handle);
  if (twins_.find(kernel.twin) == &kernel) twins_.erase(kernel.twin);
}

void Modules::forget_kernel(const void* handle) {
  const Lock lock(mutex_);
  Kernel* kernel = kernels_.find(handle);
  if (kernel == nullptr) return;
  erase_kernel(*kernel);
  remove_if(
      kernel->owner->kernels, [&](const Kernel& other) { return &other == kernel; }, free_kernel);
}

void Modules::drop_kernels(LoadedModule& module, cuda::Context context) {
  remove_if(
      module.kernels, [&](const Kernel& kernel) { return kernel.context == context; },
      [&](Kernel* kernel) {
        erase_kernel(*kernel);
        free_kernel(kernel);
      });
}

void Modules::drop_aliases(LoadedModule& module, cuda::Context context) {
  remove_if(
      module.aliases, [&](const ModuleAlias& alias) { return alias.context == context; },
      [&](ModuleAlias* alias) {
        if (modules_.find(alias->handle) == &module) modules_.erase(alias->handle);
        std::free(alias);
      });
}

// Everything of `module` leaves the tables; the memory stays for release().
LoadedModule* Modules::take_out(LoadedModule* module) {
  const ModuleIdentity& identity = module->identity;
  const void* handle = identity.library != nullptr ? static_cast<const void*>(identity.library)
                                                   : static_cast<const void*>(identity.module);
  if (modules_.find(handle) == module) modules_.erase(handle);
  for (const ModuleAlias* alias = module->aliases; alias != nullptr; alias = alias->next)
    if (modules_.find(alias->handle) == module) modules_.erase(alias->handle);
  for (const Kernel* kernel = module->kernels; kernel != nullptr; kernel = kernel->next)
    erase_kernel(*kernel);
  remove_if(
      all_, [&](const LoadedModule& other) { return &other == module; }, [](LoadedModule*) {});
  module->next = nullptr;
  return module;
}

LoadedModule* Modules::detach(const void* module_handle) {
  const Lock lock(mutex_);
  LoadedModule* module = modules_.find(module_handle);
  return module != nullptr ? take_out(module) : nullptr;
}

LoadedModule* Modules::detach_context(cuda::Context context) {
  const Lock lock(mutex_);
  LoadedModule* detached = nullptr;
  for (LoadedModule* module = all_; module != nullptr;) {
    LoadedModule* next = module->next;
    if (module->identity.context == context) {
      take_out(module)->next = detached;
      detached = module;
    } else {
      drop_kernels(*module, context);
      drop_aliases(*module, context);
      for (Binding& binding : module->bindings)
        if (binding.context.load(std::memory_order_relaxed) == context)
          binding.context.store(nullptr, std::memory_order_release);
    }
    module = next;
  }
  return detached;
}

void Modules::release(LoadedModule* chain) {
  while (chain != nullptr) {
    LoadedModule* module = std::exchange(chain, chain->next);
    remove_if(module->kernels, [](const Kernel&) { return true; }, free_kernel);
    remove_if(
        module->aliases, [](const ModuleAlias&) { return true; },
        [](ModuleAlias* alias) { std::free(alias); });
    module->image.reset();
    std::free(module);
  }
}

}  // namespace egpu::inject
