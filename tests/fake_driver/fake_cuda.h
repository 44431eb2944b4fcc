// A test double of libcuda.so.1: the driver API functions that egpu hooks or calls, on host memory
// and one imaginary device. It runs no code. What it checks is what the injected library must get
// right: handles, contexts, lifetimes, captures, errors. A launch of a kernel called __egpu_*
// counts its threads in the first map, found through the probe table as generated code would find
// it.
// A raw kernel (abi/raw_kernel.h), whatever its code, adds 1 to each byte of its memory, writes its
// stacks and gives the size of its memory.
//
// Behaviour on request, by environment:
//   FAKE_CUDA_FAIL_REPLACED=ERROR   loading an image with twins fails
//   FAKE_CUDA_FAIL_TWIN=ERROR       launching a twin fails
//   FAKE_CUDA_FAIL_ATTRIBUTE=ERROR  setting an attribute of a twin fails
//   FAKE_CUDA_STICKY_AFTER=N        the Nth launch in a context ruins it (error 719 from then on)
//   FAKE_CUDA_RAW_ERROR=ERROR       a raw kernel ruins its context
//   FAKE_CUDA_RAW_HANGS=1           a raw kernel never ends
//   FAKE_CUDA_FAIL_INIT=ERROR       initialisation fails
//   FAKE_CUDA_EXITS_FIRST=1         the driver's exit handler runs before the injected library's
//   FAKE_CUDA_RECORD=PATH           at exit, appends one line for each kernel: name, launches,
//                                   threads; and for each attribute: name, "attribute", number,
//                                   value
#pragma once

#include "cuda/driver_table.h"

namespace fake_cuda {

namespace cuda = egpu::cuda;

extern "C" {
cuda::Status cuInit(unsigned flags);
cuda::Status cuGetErrorName(cuda::Status status, const char** name);
cuda::Status cuDriverGetVersion(int* version);
cuda::Status cuDeviceGet(cuda::Device* device, int ordinal);
cuda::Status cuDeviceGetAttribute(int* value, cuda::DeviceAttribute attribute, cuda::Device device);
cuda::Status cuDeviceGetName(char* name, int size, cuda::Device device);
cuda::Status cuDeviceGetUuid_v2(cuda::Uuid* uuid, cuda::Device device);
cuda::Status cuDevicePrimaryCtxRetain(cuda::Context* context, cuda::Device device);
cuda::Status cuDevicePrimaryCtxRelease_v2(cuda::Device device);
cuda::Status cuDevicePrimaryCtxReset_v2(cuda::Device device);
cuda::Status cuDevicePrimaryCtxGetState(cuda::Device device, unsigned* flags, int* active);
cuda::Status cuCtxCreate_v2(cuda::Context* context, unsigned flags, cuda::Device device);
cuda::Status cuCtxDestroy_v2(cuda::Context context);
cuda::Status cuCtxGetCurrent(cuda::Context* context);
cuda::Status cuCtxSetCurrent(cuda::Context context);
cuda::Status cuCtxGetDevice(cuda::Device* device);
cuda::Status cuCtxPushCurrent_v2(cuda::Context context);
cuda::Status cuCtxPopCurrent_v2(cuda::Context* context);
cuda::Status cuStreamCreate(cuda::Stream* stream, unsigned flags);
cuda::Status cuStreamDestroy_v2(cuda::Stream stream);
cuda::Status cuStreamQuery(cuda::Stream stream);
cuda::Status cuStreamGetCtx(cuda::Stream stream, cuda::Context* context);
cuda::Status cuStreamBeginCapture_v2(cuda::Stream stream, cuda::CaptureMode mode);
cuda::Status cuStreamEndCapture(cuda::Stream stream, void** graph);
cuda::Status cuThreadExchangeStreamCaptureMode(cuda::CaptureMode* mode);
cuda::Status cuMemAlloc_v2(cuda::DevicePointer* memory, std::size_t size);
cuda::Status cuMemFree_v2(cuda::DevicePointer memory);
cuda::Status cuMemHostRegister_v2(void* memory, std::size_t size, unsigned flags);
cuda::Status cuMemHostUnregister(void* memory);
cuda::Status cuMemsetD8Async(cuda::DevicePointer memory, unsigned char value, std::size_t size,
                             cuda::Stream stream);
cuda::Status cuMemcpyHtoDAsync_v2(cuda::DevicePointer to, const void* from, std::size_t size,
                                  cuda::Stream stream);
cuda::Status cuMemcpyDtoHAsync_v2(void* to, cuda::DevicePointer from, std::size_t size,
                                  cuda::Stream stream);
cuda::Status cuLibraryLoadData(cuda::Library* library, const void* code,
                               cuda::JitOption* jit_options, void** jit_values, unsigned jit_count,
                               cuda::LibraryOption* options, void** values, unsigned count);
cuda::Status cuLibraryLoadFromFile(cuda::Library* library, const char* path,
                                   cuda::JitOption* jit_options, void** jit_values,
                                   unsigned jit_count, cuda::LibraryOption* options, void** values,
                                   unsigned count);
cuda::Status cuLibraryUnload(cuda::Library library);
cuda::Status cuLibraryGetKernel(cuda::Kernel* kernel, cuda::Library library, const char* name);
cuda::Status cuLibraryGetModule(cuda::Module* module, cuda::Library library);
cuda::Status cuLibraryGetGlobal(cuda::DevicePointer* address, std::size_t* size,
                                cuda::Library library, const char* name);
cuda::Status cuKernelGetFunction(cuda::Function* function, cuda::Kernel kernel);
cuda::Status cuKernelSetAttribute(cuda::FunctionAttribute attribute, int value, cuda::Kernel kernel,
                                  cuda::Device device);
cuda::Status cuModuleLoad(cuda::Module* module, const char* path);
cuda::Status cuModuleLoadData(cuda::Module* module, const void* image);
cuda::Status cuModuleLoadDataEx(cuda::Module* module, const void* image, unsigned count,
                                cuda::JitOption* options, void** values);
cuda::Status cuModuleLoadFatBinary(cuda::Module* module, const void* image);
cuda::Status cuModuleUnload(cuda::Module module);
cuda::Status cuModuleGetFunction(cuda::Function* function, cuda::Module module, const char* name);
cuda::Status cuModuleGetGlobal_v2(cuda::DevicePointer* address, std::size_t* size,
                                  cuda::Module module, const char* name);
cuda::Status cuFuncSetAttribute(cuda::Function function, cuda::FunctionAttribute attribute,
                                int value);
cuda::LaunchSignature cuLaunchKernel;
cuda::LaunchSignature cuLaunchKernel_ptsz;
cuda::LaunchExSignature cuLaunchKernelEx;
cuda::LaunchExSignature cuLaunchKernelEx_ptsz;
cuda::LaunchCooperativeSignature cuLaunchCooperativeKernel;
cuda::LaunchCooperativeSignature cuLaunchCooperativeKernel_ptsz;
}

}  // namespace fake_cuda
