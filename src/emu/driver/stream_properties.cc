// What can be asked of streams, and set.
#include "emu/driver/contexts.h"
#include "emu/driver/functions.h"
#include "emu/driver/streams.h"

namespace egpu::emu::driver {

Status stream_get_priority(cuda::Stream handle, int* priority) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (priority == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  *priority = stream->priority;
  return cuda::kSuccess;
}

Status stream_get_flags(cuda::Stream handle, unsigned* flags) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (flags == nullptr) return cuda::kInvalidValue;
  *flags = stream->flags;
  return cuda::kSuccess;
}

Status stream_get_id(cuda::Stream handle, unsigned long long* id) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (id == nullptr) return cuda::kInvalidValue;
  *id = stream->id;
  return cuda::kSuccess;
}

Status stream_get_ctx(cuda::Stream handle, cuda::Context* context) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (context == nullptr) return cuda::kInvalidValue;
  *context = handle_of(stream->context);
  return cuda::kSuccess;
}

Status stream_get_device(cuda::Stream handle, cuda::Device* device) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (device == nullptr) return cuda::kInvalidValue;
  *device = stream->context.device.ordinal;
  return cuda::kSuccess;
}

Status stream_get_attribute(cuda::Stream handle, cuda::LaunchAttributeId attribute,
                            cuda::LaunchAttributeValue* value) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (value == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  if (attribute == cuda::kLaunchSynchronizationPolicy)
    value->number = stream->synchronization_policy;
  else if (attribute == cuda::kLaunchPriority)
    value->number = stream->priority;
  else
    return cuda::kNotSupported;
  return cuda::kSuccess;
}

Status stream_set_attribute(cuda::Stream handle, cuda::LaunchAttributeId attribute,
                            const cuda::LaunchAttributeValue* value) {
  StreamPointer stream;
  EGPU_STATUS(find_stream(handle, stream));
  if (value == nullptr) return cuda::kInvalidValue;
  const std::lock_guard lock(driver().mutex);
  switch (attribute) {
    case cuda::kLaunchSynchronizationPolicy:
      stream->synchronization_policy = value->number;
      return cuda::kSuccess;
    case cuda::kLaunchPriority:
      stream->priority = value->number;
      return cuda::kSuccess;
    case cuda::kLaunchAccessPolicyWindow:  // of a cache: changes no result
      return cuda::kSuccess;
    default:
      return cuda::kNotSupported;
  }
}

Status stream_copy_attributes(cuda::Stream to_handle, cuda::Stream from_handle) {
  StreamPointer to;
  StreamPointer from;
  EGPU_STATUS(find_stream(to_handle, to));
  EGPU_STATUS(find_stream(from_handle, from));
  const std::lock_guard lock(driver().mutex);
  to->synchronization_policy = from->synchronization_policy;
  to->priority = from->priority;
  return cuda::kSuccess;
}

}  // namespace egpu::emu::driver
