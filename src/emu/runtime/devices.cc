// Devices and what belongs to a whole context.
#include "emu/runtime/call.h"
#include "emu/runtime/context.h"

namespace egpu::emu::runtime {
namespace {

Error check_device(int device) {
  int count = 0;
  EGPU_CHECK(cuDeviceGetCount(&count));
  return device >= 0 && device < count ? kSuccess : kInvalidDevice;
}

// The primary context of another device, as the driver wants peers named.
Error peer_context(int device, cuda::Context& context) {
  EGPU_CHECK(check_device(device));
  const int own = current_device();
  EGPU_CHECK(use_device(device));
  EGPU_CHECK(cuCtxGetCurrent(&context));
  return use_device(own);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
EGPU_API cudaDriverGetVersion(int* version) {
  return without_context([&]() -> Error { return cuDriverGetVersion(version); });
}

EGPU_API cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return remember(kInvalidValue);
  *version = kRuntimeVersion;
  return kSuccess;
}

EGPU_API cudaGetDeviceCount(int* count) {
  return without_context([&]() -> Error { return cuDeviceGetCount(count); });
}

EGPU_API cudaGetDevice(int* device) {
  return without_context([&]() -> Error {
    if (device == nullptr) return kInvalidValue;
    *device = current_device();
    return kSuccess;
  });
}

EGPU_API cudaSetDevice(int device) {
  return without_context([&]() -> Error {
    EGPU_CHECK(check_device(device));
    return use_device(device);
  });
}

EGPU_API cudaInitDevice(int device, unsigned, unsigned) {
  return without_context([&]() -> Error {
    cuda::Context context = nullptr;
    return peer_context(device, context);
  });
}

EGPU_API cudaSetValidDevices(int* devices, int count) {
  return without_context([&]() -> Error {
    if (count < 0 || (devices == nullptr && count != 0)) return kInvalidValue;
    for (int i = 0; i < count; ++i) EGPU_CHECK(check_device(devices[i]));
    return kSuccess;
  });
}

// All emulated devices are alike: the first is as good as any.
EGPU_API cudaChooseDevice(int* device, const DeviceProperties* wanted) {
  return without_context([&]() -> Error {
    if (device == nullptr || wanted == nullptr) return kInvalidValue;
    *device = 0;
    return kSuccess;
  });
}

EGPU_API cudaSetDeviceFlags(unsigned flags) {
  return without_context(
      [&]() -> Error { return cuDevicePrimaryCtxSetFlags_v2(current_device(), flags); });
}

EGPU_API cudaGetDeviceFlags(unsigned* flags) {
  return in_context([&]() -> Error { return cuCtxGetFlags(flags); });
}

EGPU_API cudaDeviceGetAttribute(int* value, cuda::DeviceAttribute attribute, int device) {
  return without_context([&]() -> Error { return cuDeviceGetAttribute(value, attribute, device); });
}

EGPU_API cudaDeviceGetPCIBusId(char* id, int size, int device) {
  return without_context([&]() -> Error { return cuDeviceGetPCIBusId(id, size, device); });
}

EGPU_API cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return without_context([&]() -> Error { return cuDeviceGetByPCIBusId(device, id); });
}

EGPU_API cudaDeviceSynchronize() {
  return in_context([]() -> Error { return cuCtxSynchronize(); });
}

EGPU_API cudaDeviceReset() {
  return without_context([]() -> Error {
    const int device = current_device();
    forget_device(device);
    EGPU_CHECK(cuDevicePrimaryCtxReset_v2(device));
    return cuCtxSetCurrent(nullptr);
  });
}

EGPU_API cudaDeviceSetLimit(cuda::Limit limit, std::size_t value) {
  return in_context([&]() -> Error { return cuCtxSetLimit(limit, value); });
}

EGPU_API cudaDeviceGetLimit(std::size_t* value, cuda::Limit limit) {
  return in_context([&]() -> Error { return cuCtxGetLimit(value, limit); });
}

EGPU_API cudaDeviceGetCacheConfig(int* config) {
  return in_context([&]() -> Error { return cuCtxGetCacheConfig(config); });
}

EGPU_API cudaDeviceSetCacheConfig(int config) {
  return in_context([&]() -> Error { return cuCtxSetCacheConfig(config); });
}

EGPU_API cudaDeviceGetSharedMemConfig(int* config) {
  return in_context([&]() -> Error { return cuCtxGetSharedMemConfig(config); });
}

EGPU_API cudaDeviceSetSharedMemConfig(int config) {
  return in_context([&]() -> Error { return cuCtxSetSharedMemConfig(config); });
}

EGPU_API cudaCtxResetPersistingL2Cache() {
  return in_context([]() -> Error { return cuCtxResetPersistingL2Cache(); });
}

EGPU_API cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&]() -> Error { return cuCtxGetStreamPriorityRange(least, greatest); });
}

EGPU_API cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return without_context([&]() -> Error { return cuDeviceCanAccessPeer(can, device, peer); });
}

EGPU_API cudaDeviceGetP2PAttribute(int* value, int attribute, int source, int destination) {
  return without_context(
      [&]() -> Error { return cuDeviceGetP2PAttribute(value, attribute, source, destination); });
}

EGPU_API cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return in_context([&]() -> Error {
    cuda::Context context = nullptr;
    EGPU_CHECK(peer_context(peer, context));
    return cuCtxEnablePeerAccess(context, flags);
  });
}

EGPU_API cudaDeviceDisablePeerAccess(int peer) {
  return in_context([&]() -> Error {
    cuda::Context context = nullptr;
    EGPU_CHECK(peer_context(peer, context));
    return cuCtxDisablePeerAccess(context);
  });
}

EGPU_API cudaThreadExchangeStreamCaptureMode(cuda::CaptureMode* mode) {
  return without_context([&]() -> Error { return cuThreadExchangeStreamCaptureMode(mode); });
}

// Nobody profiles here.
EGPU_API cudaProfilerStart() { return kSuccess; }
EGPU_API cudaProfilerStop() { return kSuccess; }
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
