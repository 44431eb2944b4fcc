// Access of one device's kernels to another's memory.
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/memory.h"

namespace egpu::emu::driver {
namespace {

// CUdevice_P2PAttribute: CU_DEVICE_P2P_ATTRIBUTE_...
constexpr int kPerformanceRank = 1;
constexpr int kAccessSupported = 2;
constexpr int kNativeAtomicSupported = 3;
constexpr int kArrayAccessSupported = 4;

// Whether another context of the same device has access too.
bool needed_by_others(const Context& context, const Context& owner) {
  for (const Context* other : all_contexts())
    if (other != &context && &other->device == &context.device &&
        other->peers.contains(const_cast<Context*>(&owner)))
      return true;
  return false;
}

}  // namespace

Status device_can_access_peer(int* can, cuda::Device ordinal, cuda::Device peer) {
  EGPU_STATUS(check_driver());
  if (can == nullptr) return cuda::kInvalidValue;
  if (find_device(ordinal) == nullptr || find_device(peer) == nullptr) return cuda::kInvalidDevice;
  *can = ordinal != peer ? 1 : 0;
  return cuda::kSuccess;
}

Status device_get_p2p_attribute(int* value, int attribute, cuda::Device from, cuda::Device to) {
  EGPU_STATUS(check_driver());
  if (find_device(from) == nullptr || find_device(to) == nullptr || from == to)
    return cuda::kInvalidDevice;
  if (value == nullptr) return cuda::kInvalidValue;
  switch (attribute) {
    case kPerformanceRank:
    case kArrayAccessSupported:
      *value = 0;
      return cuda::kSuccess;
    case kAccessSupported:
    case kNativeAtomicSupported:
      *value = 1;
      return cuda::kSuccess;
    default:
      return cuda::kInvalidValue;
  }
}

Status ctx_enable_peer_access(cuda::Context handle, unsigned flags) {
  Context* context = nullptr;
  Context* owner = nullptr;
  EGPU_STATUS(current_context(context));
  if (handle == nullptr) return cuda::kInvalidContext;
  EGPU_STATUS(find_context(handle, owner));
  if (flags != 0) return cuda::kInvalidValue;
  if (&owner->device == &context->device) return cuda::kPeerAccessUnsupported;
  {
    const std::lock_guard lock(driver().mutex);
    if (!context->peers.insert(owner).second) return cuda::kPeerAccessAlreadyEnabled;
    owner->shown_to.insert(&context->device);
  }
  show(*owner, context->device);
  return cuda::kSuccess;
}

Status ctx_disable_peer_access(cuda::Context handle) {
  Context* context = nullptr;
  Context* owner = nullptr;
  EGPU_STATUS(current_context(context));
  if (handle == nullptr) return cuda::kInvalidContext;
  EGPU_STATUS(find_context(handle, owner));
  wait_for_all(*context);
  {
    const std::lock_guard lock(driver().mutex);
    if (context->peers.erase(owner) == 0) return cuda::kPeerAccessNotEnabled;
    if (needed_by_others(*context, *owner)) return cuda::kSuccess;
    owner->shown_to.erase(&context->device);
  }
  hide(*owner, context->device);
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
