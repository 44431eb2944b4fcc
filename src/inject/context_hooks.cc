// The end of contexts: their maps are read before they go.
#include "inject/hooks.h"
#include "inject/scopes.h"

namespace egpu::inject::hooks {

cuda::Status ctx_destroy(cuda::Context context) {
  if (hands_off()) return session.driver.ctx_destroy(context);
  LoadedModule* ending = session.instances.close(context);
  const NestingGuard guard;
  const cuda::Status status = session.driver.ctx_destroy(context);
  Modules::release(ending);
  return status;
}

// Whether this release is the one that ends the context cannot be asked before.
cuda::Status primary_release(cuda::Device device) {
  if (hands_off()) return session.driver.primary_release(device);
  const cuda::Context context = session.instances.snapshot_primary(device);
  const NestingGuard guard;
  const cuda::Status status = session.driver.primary_release(device);
  unsigned flags = 0;
  int is_active = 0;
  if (context != nullptr && status == cuda::kSuccess &&
      session.driver.primary_get_state(device, &flags, &is_active) == cuda::kSuccess &&
      is_active == 0)
    Modules::release(session.instances.forget(context));
  return status;
}

cuda::Status primary_reset(cuda::Device device) {
  if (hands_off()) return session.driver.primary_reset(device);
  const cuda::Context context = session.instances.snapshot_primary(device);
  LoadedModule* ending = context != nullptr ? session.instances.close(context) : nullptr;
  const NestingGuard guard;
  const cuda::Status status = session.driver.primary_reset(device);
  Modules::release(ending);
  return status;
}

}  // namespace egpu::inject::hooks
