#include "inject/instances.h"

#include <cstdlib>
#include <utility>

#include "inject/drain_rings.h"
#include "inject/instance_setup.h"
#include "inject/report.h"
#include "inject/scopes.h"
#include "inject/session.h"
#include "inject/take_snapshot.h"

namespace egpu::inject {

Instance* Instances::bind(LoadedModule& module, cuda::Context context) {
  const NestingGuard guard;
  const Lock lock(mutex_);
  Binding* place = nullptr;
  for (Binding& binding : module.bindings) {
    const cuda::Context bound = binding.context.load(std::memory_order_relaxed);
    // Another thread was first.
    if (bound == context) return binding.instance.load(std::memory_order_relaxed);
    if (bound == nullptr && place == nullptr) place = &binding;
  }
  if (place == nullptr) return nullptr;
  Instance* instance = find(context);
  if (instance == nullptr) instance = open(context);
  if (instance != nullptr && (!instance->usable || !fill_probe_table(module, *instance)))
    instance = nullptr;
  place->instance.store(instance, std::memory_order_relaxed);
  place->context.store(context, std::memory_order_release);
  return instance;
}

Instance* Instances::find(cuda::Context context) {
  for (Instance* instance : list_)
    if (instance != nullptr && instance->context == context) return instance;
  return nullptr;
}

Instance* Instances::find(std::uint32_t id) {
  for (Instance* instance : list_)
    if (instance != nullptr && instance->usable && instance->id == id) return instance;
  return nullptr;
}

// An instance that could not be set up is kept too, so that it is not tried again at each launch.
Instance* Instances::open(cuda::Context context) {
  Instance** place = nullptr;
  for (Instance*& entry : list_)
    if (entry == nullptr && place == nullptr) place = &entry;
  if (place == nullptr) {
    report("more than %d contexts at a time: original kernels run in the others", kMaxContexts);
    return nullptr;
  }
  auto* instance = static_cast<Instance*>(std::calloc(1, sizeof(Instance)));
  if (instance == nullptr) return nullptr;
  instance->context = context;
  instance->usable = set_up(*instance);
  *place = instance;
  if (instance->usable) session.control.start();
  return instance;
}

bool Instances::snapshot_all(bool final) {
  const NestingGuard guard;
  const Lock lock(mutex_);
  for (Instance* instance : list_) {
    if (instance == nullptr || !instance->usable) continue;
    if (take_snapshot(*instance, final) == cuda::kDeinitialized) return false;
  }
  return true;
}

bool Instances::drain_all(DrainState& state) {
  const NestingGuard guard;
  const Lock lock(mutex_);
  for (Instance* instance : list_) {
    if (instance == nullptr || !instance->usable || instance->rings == nullptr) continue;
    const RelaxedCapture relaxed;
    const CurrentContext current(instance->context);
    const cuda::Status status =
        current.entered() ? drain_rings(*instance, state) : current.status();
    if (status == cuda::kDeinitialized) return false;
    // Other errors are those of the next snapshot too, which says what is missing.
  }
  return true;
}

LoadedModule* Instances::close(cuda::Context context) {
  const NestingGuard guard;
  const Lock lock(mutex_);
  Instance* instance = find(context);
  if (instance != nullptr && instance->usable &&
      take_snapshot(*instance, /*final=*/true) == cuda::kSuccess)
    release_rings(*instance);
  return remove(context);
}

LoadedModule* Instances::forget(cuda::Context context) {
  const Lock lock(mutex_);
  if (const Instance* instance = find(context); instance != nullptr && instance->usable)
    instance->header().final.store(1, std::memory_order_release);
  return remove(context);
}

// The Instance and its counters are never freed: a launch on another thread may just have chosen
// it.
LoadedModule* Instances::remove(cuda::Context context) {
  for (Instance*& entry : list_) {
    if (entry == nullptr || entry->context != context) continue;
    entry->area.shrink(abi::kSnapshotHeaderBytes);
    entry->next_retired = retired_;
    retired_ = std::exchange(entry, nullptr);
  }
  return session.modules.detach_context(context);
}

cuda::Context Instances::snapshot_primary(cuda::Device device) {
  const NestingGuard guard;
  const Lock lock(mutex_);
  for (Instance* instance : list_) {
    if (instance == nullptr || !instance->primary || instance->device != device) continue;
    if (instance->usable) take_snapshot(*instance, /*final=*/false);
    return instance->context;
  }
  return nullptr;
}

}  // namespace egpu::inject
