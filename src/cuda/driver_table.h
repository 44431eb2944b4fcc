// The functions of libcuda.so.1 that the injected library calls, found in the driver already
// loaded. Usable where only libc is: no exceptions, no heap.
#pragma once

#include "cuda/driver_structs.h"
#include "cuda/driver_types.h"

namespace egpu::cuda {

// X(member, exported name, signature). Signatures: cuda.h of CUDA 13.0.
#define EGPU_CALLED_FUNCTIONS(X)                                                                \
  X(driver_get_version, "cuDriverGetVersion", Status(int*))                                     \
  X(device_get, "cuDeviceGet", Status(Device*, int))                                            \
  X(device_get_attribute, "cuDeviceGetAttribute", Status(int*, DeviceAttribute, Device))        \
  X(device_get_name, "cuDeviceGetName", Status(char*, int, Device))                             \
  X(device_get_uuid, "cuDeviceGetUuid_v2", Status(Uuid*, Device))                               \
  X(primary_retain, "cuDevicePrimaryCtxRetain", Status(Context*, Device))                       \
  X(primary_get_state, "cuDevicePrimaryCtxGetState", Status(Device, unsigned*, int*))           \
  X(ctx_get_current, "cuCtxGetCurrent", Status(Context*))                                       \
  X(ctx_get_device, "cuCtxGetDevice", Status(Device*))                                          \
  X(ctx_push_current, "cuCtxPushCurrent_v2", Status(Context))                                   \
  X(ctx_pop_current, "cuCtxPopCurrent_v2", Status(Context*))                                    \
  X(stream_create, "cuStreamCreate", Status(Stream*, unsigned))                                 \
  X(stream_destroy, "cuStreamDestroy_v2", Status(Stream))                                       \
  X(stream_query, "cuStreamQuery", Status(Stream))                                              \
  X(stream_get_ctx, "cuStreamGetCtx", Status(Stream, Context*))                                 \
  X(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", Status(CaptureMode*))           \
  X(mem_alloc, "cuMemAlloc_v2", Status(DevicePointer*, std::size_t))                            \
  X(mem_free, "cuMemFree_v2", Status(DevicePointer))                                            \
  X(mem_host_register, "cuMemHostRegister_v2", Status(void*, std::size_t, unsigned))            \
  X(mem_host_unregister, "cuMemHostUnregister", Status(void*))                                  \
  X(memset_async, "cuMemsetD8Async", Status(DevicePointer, unsigned char, std::size_t, Stream)) \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2",                                                     \
    Status(DevicePointer, const void*, std::size_t, Stream))                                    \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", Status(void*, DevicePointer, std::size_t, Stream))    \
  X(library_get_global, "cuLibraryGetGlobal",                                                   \
    Status(DevicePointer*, std::size_t*, Library, const char*))                                 \
  X(module_get_global, "cuModuleGetGlobal_v2",                                                  \
    Status(DevicePointer*, std::size_t*, Module, const char*))

// Newer than the oldest driver that egpu works with: may be null.
#define EGPU_OPTIONAL_FUNCTIONS(X)                                      \
  X(function_get_name, "cuFuncGetName", Status(const char**, Function)) \
  X(function_get_module, "cuFuncGetModule", Status(Module*, Function))

#define EGPU_HOOKED_FUNCTIONS(X)                                                                   \
  X(library_load_data, "cuLibraryLoadData",                                                        \
    Status(Library*, const void*, JitOption*, void**, unsigned, LibraryOption*, void**, unsigned)) \
  X(library_load_file, "cuLibraryLoadFromFile",                                                    \
    Status(Library*, const char*, JitOption*, void**, unsigned, LibraryOption*, void**, unsigned)) \
  X(library_unload, "cuLibraryUnload", Status(Library))                                            \
  X(library_get_kernel, "cuLibraryGetKernel", Status(Kernel*, Library, const char*))               \
  X(library_get_module, "cuLibraryGetModule", Status(Module*, Library))                            \
  X(kernel_get_function, "cuKernelGetFunction", Status(Function*, Kernel))                         \
  X(kernel_set_attribute, "cuKernelSetAttribute", Status(FunctionAttribute, int, Kernel, Device))  \
  X(module_load, "cuModuleLoad", Status(Module*, const char*))                                     \
  X(module_load_data, "cuModuleLoadData", Status(Module*, const void*))                            \
  X(module_load_data_ex, "cuModuleLoadDataEx",                                                     \
    Status(Module*, const void*, unsigned, JitOption*, void**))                                    \
  X(module_load_fatbin, "cuModuleLoadFatBinary", Status(Module*, const void*))                     \
  X(module_unload, "cuModuleUnload", Status(Module))                                               \
  X(module_get_function, "cuModuleGetFunction", Status(Function*, Module, const char*))            \
  X(function_set_attribute, "cuFuncSetAttribute", Status(Function, FunctionAttribute, int))        \
  X(launch, "cuLaunchKernel", LaunchSignature)                                                     \
  X(launch_ptsz, "cuLaunchKernel_ptsz", LaunchSignature)                                           \
  X(launch_ex, "cuLaunchKernelEx", LaunchExSignature)                                              \
  X(launch_ex_ptsz, "cuLaunchKernelEx_ptsz", LaunchExSignature)                                    \
  X(launch_cooperative, "cuLaunchCooperativeKernel", LaunchCooperativeSignature)                   \
  X(launch_cooperative_ptsz, "cuLaunchCooperativeKernel_ptsz", LaunchCooperativeSignature)         \
  X(graph_add_kernel_node, "cuGraphAddKernelNode", AddKernelNodeSignature<KernelNodeParametersV1>) \
  X(graph_add_kernel_node_v2, "cuGraphAddKernelNode_v2",                                           \
    AddKernelNodeSignature<KernelNodeParameters>)                                                  \
  X(graph_add_node, "cuGraphAddNode", AddNodeSignature)                                            \
  X(graph_add_node_v2, "cuGraphAddNode_v2", AddNodeV2Signature)                                    \
  X(kernel_node_set, "cuGraphKernelNodeSetParams",                                                 \
    Status(GraphNode, const KernelNodeParametersV1*))                                              \
  X(kernel_node_set_v2, "cuGraphKernelNodeSetParams_v2",                                           \
    Status(GraphNode, const KernelNodeParameters*))                                                \
  X(graph_node_set, "cuGraphNodeSetParams", Status(GraphNode, GraphNodeParameters*))               \
  X(exec_kernel_node_set, "cuGraphExecKernelNodeSetParams",                                        \
    Status(GraphExec, GraphNode, const KernelNodeParametersV1*))                                   \
  X(exec_kernel_node_set_v2, "cuGraphExecKernelNodeSetParams_v2",                                  \
    Status(GraphExec, GraphNode, const KernelNodeParameters*))                                     \
  X(exec_node_set, "cuGraphExecNodeSetParams", Status(GraphExec, GraphNode, GraphNodeParameters*)) \
  X(kernel_node_get, "cuGraphKernelNodeGetParams", Status(GraphNode, KernelNodeParametersV1*))     \
  X(kernel_node_get_v2, "cuGraphKernelNodeGetParams_v2", Status(GraphNode, KernelNodeParameters*)) \
  X(ctx_destroy, "cuCtxDestroy_v2", Status(Context))                                               \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", Status(Device))                               \
  X(primary_reset, "cuDevicePrimaryCtxReset_v2", Status(Device))

using LaunchSignature = Status(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, Stream, void**, void**);
using LaunchExSignature = Status(const LaunchConfig*, Function, void**, void**);
using LaunchCooperativeSignature = Status(Function, unsigned, unsigned, unsigned, unsigned,
                                          unsigned, unsigned, unsigned, Stream, void**);

template <class Parameters>
using AddKernelNodeSignature = Status(GraphNode*, Graph, const GraphNode*, std::size_t,
                                      const Parameters*);
using AddNodeSignature = Status(GraphNode*, Graph, const GraphNode*, std::size_t,
                                GraphNodeParameters*);
using AddNodeV2Signature = Status(GraphNode*, Graph, const GraphNode*, const GraphEdge*,
                                  std::size_t, GraphNodeParameters*);

template <class Signature>
using Pointer = Signature*;

struct DriverTable {
#define EGPU_MEMBER(member, name, ...) Pointer<__VA_ARGS__> member = nullptr;
  EGPU_CALLED_FUNCTIONS(EGPU_MEMBER)
  EGPU_OPTIONAL_FUNCTIONS(EGPU_MEMBER)
  EGPU_HOOKED_FUNCTIONS(EGPU_MEMBER)  // after hooking: what calls the function as it was
#undef EGPU_MEMBER
};

// Fills the table from the loaded driver. Gives the name of the first missing function that egpu
// cannot work without, or null; missing optional and hooked
// functions stay null. "libcuda.so.1" itself where no
// driver is loaded.
const char* load_driver_table(DriverTable& table);

}  // namespace egpu::cuda
