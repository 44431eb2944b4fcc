// Contexts, streams, captures and memory.
#include <cstring>

#include "entry.h"
#include "state.h"

namespace fake_cuda {
namespace {

FakeContext* as_fake(cuda::Context context) { return reinterpret_cast<FakeContext*>(context); }
cuda::Context as_handle(FakeContext* context) { return reinterpret_cast<cuda::Context>(context); }

FakeContext* new_context() {
  auto context = std::make_unique<FakeContext>();
  FakeContext* handle = context.get();
  state().contexts.emplace(handle, std::move(context));
  return handle;
}

void end_context(FakeContext* context) {
  for (auto& [handle, library] : state().libraries) library->modules.erase(context);
  std::erase_if(state().streams,
                [&](const auto& entry) { return entry.second->context == context; });
  state().contexts.erase(context);
}

// GPU code and copies may touch the same words at the same time: word by word, atomically.
void copy_words(void* to, const void* from, std::size_t size) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  std::size_t done = 0;
  for (; done + 8 <= size; done += 8) {
    const std::uint64_t word =
        __atomic_load_n(reinterpret_cast<const std::uint64_t*>(source + done), __ATOMIC_RELAXED);
    std::memcpy(target + done, &word, sizeof word);
  }
  std::memcpy(target + done, source + done, size - done);
}

}  // namespace

extern "C" {

cuda::Status fake_cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Device) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  if (state().primary_count++ == 0) state().primary = new_context();
  *context = as_handle(state().primary);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuDevicePrimaryCtxRetain);

cuda::Status fake_cuDevicePrimaryCtxRelease_v2(cuda::Device) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  if (state().primary_count == 0) return cuda::kInvalidContext;
  if (--state().primary_count == 0) end_context(state().primary);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuDevicePrimaryCtxRelease_v2);

cuda::Status fake_cuDevicePrimaryCtxReset_v2(cuda::Device) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  if (state().primary_count == 0) return cuda::kSuccess;
  FakeContext* primary = state().primary;
  for (auto& [handle, library] : state().libraries) library->modules.erase(primary);
  std::erase_if(state().streams,
                [&](const auto& entry) { return entry.second->context == primary; });
  *primary = FakeContext{};
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuDevicePrimaryCtxReset_v2);

cuda::Status fake_cuDevicePrimaryCtxGetState(cuda::Device, unsigned* flags, int* active) {
  const std::lock_guard lock(state().mutex);
  *flags = 0;
  *active = state().primary_count > 0;
  return check_driver();
}
FAKE_CUDA_EXPORT(cuDevicePrimaryCtxGetState);

cuda::Status fake_cuCtxCreate_v2(cuda::Context* context, unsigned, cuda::Device) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  FakeContext* created = new_context();
  context_stack.push(created);
  *context = as_handle(created);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuCtxCreate_v2);

cuda::Status fake_cuCtxDestroy_v2(cuda::Context context) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  if (!state().contexts.contains(as_fake(context))) return cuda::kInvalidContext;
  if (current() == as_fake(context)) context_stack.pop();
  end_context(as_fake(context));
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuCtxDestroy_v2);

cuda::Status fake_cuCtxGetCurrent(cuda::Context* context) {
  *context = as_handle(current());
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuCtxGetCurrent);

cuda::Status fake_cuCtxSetCurrent(cuda::Context context) {
  if (current() != nullptr) context_stack.pop();
  if (context != nullptr) context_stack.push(as_fake(context));
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuCtxSetCurrent);

cuda::Status fake_cuCtxGetDevice(cuda::Device* device) {
  const std::lock_guard lock(state().mutex);
  *device = 0;
  return check_context();
}
FAKE_CUDA_EXPORT(cuCtxGetDevice);

cuda::Status fake_cuCtxPushCurrent_v2(cuda::Context context) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  if (!state().contexts.contains(as_fake(context))) return cuda::kInvalidContext;
  context_stack.push(as_fake(context));
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuCtxPushCurrent_v2);

cuda::Status fake_cuCtxPopCurrent_v2(cuda::Context* context) {
  if (current() == nullptr) return cuda::kInvalidContext;
  *context = as_handle(current());
  context_stack.pop();
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuCtxPopCurrent_v2);

cuda::Status fake_cuStreamCreate(cuda::Stream* stream, unsigned) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  auto created = std::make_unique<FakeStream>();
  created->context = current();
  *stream = reinterpret_cast<cuda::Stream>(created.get());
  FakeStream* handle = created.get();
  state().streams.emplace(handle, std::move(created));
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuStreamCreate);

cuda::Status fake_cuStreamDestroy_v2(cuda::Stream stream) {
  const std::lock_guard lock(state().mutex);
  return state().streams.erase(reinterpret_cast<FakeStream*>(stream)) == 1 ? cuda::kSuccess
                                                                           : cuda::kInvalidHandle;
}
FAKE_CUDA_EXPORT(cuStreamDestroy_v2);

cuda::Status fake_cuStreamQuery(cuda::Stream stream) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().streams.find(reinterpret_cast<FakeStream*>(stream));
  if (found != state().streams.end() && found->second->busy) return cuda::kNotReady;
  const cuda::Status status = check_context();
  return status == cuda::kSuccess ? check_capture() : status;
}
FAKE_CUDA_EXPORT(cuStreamQuery);

cuda::Status fake_cuStreamGetCtx(cuda::Stream stream, cuda::Context* context) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().streams.find(reinterpret_cast<FakeStream*>(stream));
  if (found == state().streams.end()) return cuda::kInvalidHandle;
  *context = as_handle(found->second->context);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuStreamGetCtx);

cuda::Status fake_cuStreamBeginCapture_v2(cuda::Stream stream, cuda::CaptureMode) {
  const std::lock_guard lock(state().mutex);
  auto* capturing = reinterpret_cast<FakeStream*>(stream);
  capturing->capturing = true;
  capturing->invalidated = false;
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuStreamBeginCapture_v2);

cuda::Status fake_cuStreamEndCapture(cuda::Stream stream, void** graph) {
  const std::lock_guard lock(state().mutex);
  auto* capturing = reinterpret_cast<FakeStream*>(stream);
  capturing->capturing = false;
  *graph = capturing;
  return capturing->invalidated ? cuda::kStreamCaptureUnsupported : cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuStreamEndCapture);

cuda::Status fake_cuThreadExchangeStreamCaptureMode(cuda::CaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuThreadExchangeStreamCaptureMode);

cuda::Status fake_cuMemAlloc_v2(cuda::DevicePointer* memory, std::size_t size) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  if (const cuda::Status status = check_capture(); status != cuda::kSuccess) return status;
  // Device memory is not zeroed, and may start anywhere: garbage shows code that relies on it.
  auto& words = current()->memory.emplace_back((size + 7) / 8, 0xdeadbeefdeadbeef);
  *memory = reinterpret_cast<cuda::DevicePointer>(words.data());
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuMemAlloc_v2);

cuda::Status fake_cuMemFree_v2(cuda::DevicePointer memory) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  std::erase_if(current()->memory, [&](const auto& words) {
    return reinterpret_cast<cuda::DevicePointer>(words.data()) == memory;
  });
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuMemFree_v2);

// Memory is copied to whether it is registered or not. Nobody needs more than that of the double.
cuda::Status fake_cuMemHostRegister_v2(void*, std::size_t, unsigned) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  return check_capture();
}
FAKE_CUDA_EXPORT(cuMemHostRegister_v2);

cuda::Status fake_cuMemHostUnregister(void*) {
  const std::lock_guard lock(state().mutex);
  return check_context();
}
FAKE_CUDA_EXPORT(cuMemHostUnregister);

cuda::Status fake_cuMemsetD8Async(cuda::DevicePointer memory, unsigned char value, std::size_t size,
                                  cuda::Stream) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  std::memset(reinterpret_cast<void*>(memory), value, size);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuMemsetD8Async);

cuda::Status fake_cuMemcpyHtoDAsync_v2(cuda::DevicePointer to, const void* from, std::size_t size,
                                       cuda::Stream) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  std::memcpy(reinterpret_cast<void*>(to), from, size);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuMemcpyHtoDAsync_v2);

cuda::Status fake_cuMemcpyDtoHAsync_v2(void* to, cuda::DevicePointer from, std::size_t size,
                                       cuda::Stream) {
  const std::lock_guard lock(state().mutex);
  if (const cuda::Status status = check_context(); status != cuda::kSuccess) return status;
  copy_words(to, reinterpret_cast<const void*>(from), size);
  return cuda::kSuccess;
}
FAKE_CUDA_EXPORT(cuMemcpyDtoHAsync_v2);

}  // extern "C"
}  // namespace fake_cuda
