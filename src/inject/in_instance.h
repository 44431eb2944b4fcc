// Instances::in_instance(), which needs what instances.h is a part of.
#pragma once

#include "inject/instances.h"
#include "inject/scopes.h"

namespace egpu::inject {

template <class Work>
cuda::Status Instances::in_instance(std::uint32_t id, Work work) {
  const NestingGuard guard;
  const Lock lock(mutex_);
  Instance* const instance = find(id);
  if (instance == nullptr) return cuda::kInvalidContext;
  const RelaxedCapture relaxed;
  const CurrentContext current(instance->context);
  return current.entered() ? work(*instance) : current.status();
}

}  // namespace egpu::inject
