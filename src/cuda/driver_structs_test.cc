// Compares our structures and numbers with the toolkit's, where it is installed.
#include "cuda/driver_structs.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace egpu::cuda {

#define EGPU_SAME_PLACE(ours, our_member, theirs, their_member)                \
  static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member)); \
  static_assert(sizeof(ours::our_member) == sizeof(theirs::their_member))

// NOLINTBEGIN(bugprone-sizeof-expression): members that are pointers are compared as such
static_assert(sizeof(MemoryLocation) == sizeof(CUmemLocation));
static_assert(sizeof(MemoryProperties) == sizeof(CUmemAllocationProp));
EGPU_SAME_PLACE(MemoryProperties, requested_handle_types, CUmemAllocationProp,
                requestedHandleTypes);
EGPU_SAME_PLACE(MemoryProperties, location, CUmemAllocationProp, location);
static_assert(offsetof(MemoryProperties, usage) == offsetof(CUmemAllocationProp, allocFlags.usage));
static_assert(sizeof(MemoryAccess) == sizeof(CUmemAccessDesc));
EGPU_SAME_PLACE(MemoryAccess, flags, CUmemAccessDesc, flags);
static_assert(sizeof(PoolProperties) == sizeof(CUmemPoolProps));
EGPU_SAME_PLACE(PoolProperties, location, CUmemPoolProps, location);
EGPU_SAME_PLACE(PoolProperties, max_size, CUmemPoolProps, maxSize);

static_assert(sizeof(Copy2d) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(Copy2d, source.x) == offsetof(CUDA_MEMCPY2D, srcXInBytes));
static_assert(offsetof(Copy2d, source.type) == offsetof(CUDA_MEMCPY2D, srcMemoryType));
static_assert(offsetof(Copy2d, source.device) == offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(Copy2d, source.pitch) == offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(Copy2d, destination.host) == offsetof(CUDA_MEMCPY2D, dstHost));
static_assert(offsetof(Copy2d, destination.array) == offsetof(CUDA_MEMCPY2D, dstArray));
EGPU_SAME_PLACE(Copy2d, width, CUDA_MEMCPY2D, WidthInBytes);
EGPU_SAME_PLACE(Copy2d, height, CUDA_MEMCPY2D, Height);

static_assert(sizeof(Copy3d) == sizeof(CUDA_MEMCPY3D));
static_assert(sizeof(Copy3d) == sizeof(CUDA_MEMCPY3D_PEER));
static_assert(offsetof(Copy3d, source.z) == offsetof(CUDA_MEMCPY3D, srcZ));
static_assert(offsetof(Copy3d, source.level) == offsetof(CUDA_MEMCPY3D, srcLOD));
static_assert(offsetof(Copy3d, source.device) == offsetof(CUDA_MEMCPY3D, srcDevice));
static_assert(offsetof(Copy3d, source.context) == offsetof(CUDA_MEMCPY3D_PEER, srcContext));
static_assert(offsetof(Copy3d, source.height) == offsetof(CUDA_MEMCPY3D, srcHeight));
static_assert(offsetof(Copy3d, destination.x) == offsetof(CUDA_MEMCPY3D, dstXInBytes));
static_assert(offsetof(Copy3d, destination.type) == offsetof(CUDA_MEMCPY3D, dstMemoryType));
static_assert(offsetof(Copy3d, destination.pitch) == offsetof(CUDA_MEMCPY3D, dstPitch));
EGPU_SAME_PLACE(Copy3d, width, CUDA_MEMCPY3D, WidthInBytes);
EGPU_SAME_PLACE(Copy3d, depth, CUDA_MEMCPY3D, Depth);

static_assert(sizeof(LaunchAttributeValue) == sizeof(CUlaunchAttributeValue));
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
EGPU_SAME_PLACE(LaunchAttribute, value, CUlaunchAttribute, value);
static_assert(offsetof(LaunchAttributeValue, event.flags) ==
              offsetof(CUlaunchAttributeValue, programmaticEvent.flags));

static_assert(sizeof(KernelNodeParametersV1) == sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
static_assert(sizeof(KernelNodeParameters) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
EGPU_SAME_PLACE(KernelNodeParametersV1, shared_bytes, CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes);
EGPU_SAME_PLACE(KernelNodeParametersV1, parameters, CUDA_KERNEL_NODE_PARAMS_v2, kernelParams);
EGPU_SAME_PLACE(KernelNodeParameters, kernel, CUDA_KERNEL_NODE_PARAMS_v2, kern);
EGPU_SAME_PLACE(KernelNodeParameters, context, CUDA_KERNEL_NODE_PARAMS_v2, ctx);
static_assert(sizeof(MemsetNodeParameters) == sizeof(CUDA_MEMSET_NODE_PARAMS_v1));
EGPU_SAME_PLACE(MemsetNodeParameters, element_size, CUDA_MEMSET_NODE_PARAMS_v1, elementSize);
EGPU_SAME_PLACE(MemsetNodeParameters, height, CUDA_MEMSET_NODE_PARAMS_v1, height);
static_assert(sizeof(HostNodeParameters) == sizeof(CUDA_HOST_NODE_PARAMS_v1));
static_assert(sizeof(GraphNodeParameters) == sizeof(CUgraphNodeParams));
static_assert(offsetof(GraphNodeParameters, kernel) == offsetof(CUgraphNodeParams, kernel));
static_assert(offsetof(GraphNodeParameters, memcpy.copy) ==
              offsetof(CUgraphNodeParams, memcpy.copyParams));
static_assert(offsetof(GraphNodeParameters, memset.context) ==
              offsetof(CUgraphNodeParams, memset.ctx));
static_assert(offsetof(GraphNodeParameters, child.ownership) ==
              offsetof(CUgraphNodeParams, graph.ownership));
static_assert(offsetof(GraphNodeParameters, reserved2) == offsetof(CUgraphNodeParams, reserved2));
static_assert(sizeof(GraphEdge) == sizeof(CUgraphEdgeData));
static_assert(sizeof(InstantiateParameters) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
EGPU_SAME_PLACE(InstantiateParameters, result, CUDA_GRAPH_INSTANTIATE_PARAMS, result_out);
static_assert(sizeof(GraphUpdateResult) == sizeof(CUgraphExecUpdateResultInfo));
EGPU_SAME_PLACE(GraphUpdateResult, error_node, CUgraphExecUpdateResultInfo, errorNode);
static_assert(sizeof(PhysicalMemory) == sizeof(CUmemGenericAllocationHandle));
// NOLINTEND(bugprone-sizeof-expression)

#define EGPU_SAME(ours, theirs) EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs)) << #ours

TEST(DriverStructs, NumbersOfContextsStreamsAndEventsAreThoseOfTheToolkitHeader) {
  EGPU_SAME(kCpuDevice, CU_DEVICE_CPU);
  EGPU_SAME(kContextFlagsMask, CU_CTX_FLAGS_MASK);
  EGPU_SAME(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
  EGPU_SAME(kEventDisableTiming, CU_EVENT_DISABLE_TIMING);
  EGPU_SAME(kEventInterprocess, CU_EVENT_INTERPROCESS);
  EGPU_SAME(kEventExternal, CU_EVENT_RECORD_EXTERNAL);
  EGPU_SAME(kEventExternal, CU_EVENT_WAIT_EXTERNAL);
  EGPU_SAME(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EGPU_SAME(kNotCapturing, CU_STREAM_CAPTURE_STATUS_NONE);
  EGPU_SAME(kCaptureActive, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EGPU_SAME(kCaptureInvalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EGPU_SAME(kLimitStackSize, CU_LIMIT_STACK_SIZE);
  EGPU_SAME(kLimitPrintfFifoSize, CU_LIMIT_PRINTF_FIFO_SIZE);
  EGPU_SAME(kLimitMallocHeapSize, CU_LIMIT_MALLOC_HEAP_SIZE);
  EGPU_SAME(kLimitMaxL2FetchGranularity, CU_LIMIT_MAX_L2_FETCH_GRANULARITY);
  EGPU_SAME(kLimitPersistingL2CacheSize, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
}

TEST(DriverStructs, NumbersOfFunctionsAreThoseOfTheToolkitHeader) {
  EGPU_SAME(kFunctionMaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EGPU_SAME(kFunctionSharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  EGPU_SAME(kFunctionConstSizeBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  EGPU_SAME(kFunctionLocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  EGPU_SAME(kFunctionNumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
  EGPU_SAME(kFunctionPtxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION);
  EGPU_SAME(kFunctionBinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  EGPU_SAME(kFunctionCacheModeCa, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
  EGPU_SAME(kFunctionMaxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EGPU_SAME(kFunctionPreferredSharedMemoryCarveout,
            CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  EGPU_SAME(kFunctionClusterSizeMustBeSet, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  EGPU_SAME(kFunctionRequiredClusterWidth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  EGPU_SAME(kFunctionRequiredClusterHeight, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  EGPU_SAME(kFunctionRequiredClusterDepth, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  EGPU_SAME(kFunctionNonPortableClusterSizeAllowed,
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  EGPU_SAME(kFunctionClusterSchedulingPolicyPreference,
            CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  EGPU_SAME(kJitInputCubin, CU_JIT_INPUT_CUBIN);
  EGPU_SAME(kJitInputPtx, CU_JIT_INPUT_PTX);
  EGPU_SAME(kJitInputFatbinary, CU_JIT_INPUT_FATBINARY);
  EGPU_SAME(kProcAddressLegacyStream, CU_GET_PROC_ADDRESS_LEGACY_STREAM);
  EGPU_SAME(kProcAddressPerThreadStream, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  EGPU_SAME(kProcAddressSuccess, CU_GET_PROC_ADDRESS_SUCCESS);
  EGPU_SAME(kProcAddressNotFound, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EGPU_SAME(kProcAddressVersionNotSufficient, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
}

TEST(DriverStructs, NumbersOfMemoryAreThoseOfTheToolkitHeader) {
  EGPU_SAME(kPointerContext, CU_POINTER_ATTRIBUTE_CONTEXT);
  EGPU_SAME(kPointerMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
  EGPU_SAME(kPointerDevicePointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER);
  EGPU_SAME(kPointerHostPointer, CU_POINTER_ATTRIBUTE_HOST_POINTER);
  EGPU_SAME(kPointerSyncMemops, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
  EGPU_SAME(kPointerBufferId, CU_POINTER_ATTRIBUTE_BUFFER_ID);
  EGPU_SAME(kPointerIsManaged, CU_POINTER_ATTRIBUTE_IS_MANAGED);
  EGPU_SAME(kPointerDeviceOrdinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
  EGPU_SAME(kPointerIsLegacyIpcCapable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE);
  EGPU_SAME(kPointerRangeStartAddress, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
  EGPU_SAME(kPointerRangeSize, CU_POINTER_ATTRIBUTE_RANGE_SIZE);
  EGPU_SAME(kPointerMapped, CU_POINTER_ATTRIBUTE_MAPPED);
  EGPU_SAME(kPointerAllowedHandleTypes, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES);
  EGPU_SAME(kPointerIsGpuDirectRdmaCapable, CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE);
  EGPU_SAME(kPointerAccessFlags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS);
  EGPU_SAME(kPointerMempoolHandle, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE);
  EGPU_SAME(kMemoryHost, CU_MEMORYTYPE_HOST);
  EGPU_SAME(kMemoryDevice, CU_MEMORYTYPE_DEVICE);
  EGPU_SAME(kMemoryUnified, CU_MEMORYTYPE_UNIFIED);
  EGPU_SAME(kHostPortable, CU_MEMHOSTALLOC_PORTABLE);
  EGPU_SAME(kHostDeviceMap, CU_MEMHOSTALLOC_DEVICEMAP);
  EGPU_SAME(kHostWriteCombined, CU_MEMHOSTALLOC_WRITECOMBINED);
  EGPU_SAME(kHostIoMemory, CU_MEMHOSTREGISTER_IOMEMORY);
  EGPU_SAME(kHostReadOnly, CU_MEMHOSTREGISTER_READ_ONLY);
  EGPU_SAME(kAttachGlobal, CU_MEM_ATTACH_GLOBAL);
  EGPU_SAME(kAttachHost, CU_MEM_ATTACH_HOST);
  EGPU_SAME(kAttachSingle, CU_MEM_ATTACH_SINGLE);
  EGPU_SAME(kLocationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
  EGPU_SAME(kAllocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
  EGPU_SAME(kHandleNone, CU_MEM_HANDLE_TYPE_NONE);
  EGPU_SAME(kAccessNone, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EGPU_SAME(kAccessRead, CU_MEM_ACCESS_FLAGS_PROT_READ);
  EGPU_SAME(kAccessReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EGPU_SAME(kPoolReuseFollowEventDependencies, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES);
  EGPU_SAME(kPoolReuseAllowOpportunistic, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC);
  EGPU_SAME(kPoolReuseAllowInternalDependencies, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES);
  EGPU_SAME(kPoolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
  EGPU_SAME(kPoolReservedMemCurrent, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  EGPU_SAME(kPoolReservedMemHigh, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
  EGPU_SAME(kPoolUsedMemCurrent, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
  EGPU_SAME(kPoolUsedMemHigh, CU_MEMPOOL_ATTR_USED_MEM_HIGH);
}

TEST(DriverStructs, NumbersOfLaunchesAndGraphsAreThoseOfTheToolkitHeader) {
  EGPU_SAME(kLaunchIgnore, CU_LAUNCH_ATTRIBUTE_IGNORE);
  EGPU_SAME(kLaunchAccessPolicyWindow, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
  EGPU_SAME(kLaunchCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EGPU_SAME(kLaunchSynchronizationPolicy, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY);
  EGPU_SAME(kLaunchClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EGPU_SAME(kLaunchClusterSchedulingPolicyPreference,
            CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  EGPU_SAME(kLaunchProgrammaticStreamSerialization,
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
  EGPU_SAME(kLaunchProgrammaticEvent, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
  EGPU_SAME(kLaunchPriority, CU_LAUNCH_ATTRIBUTE_PRIORITY);
  EGPU_SAME(kLaunchMemSyncDomainMap, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP);
  EGPU_SAME(kLaunchMemSyncDomain, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN);
  EGPU_SAME(kLaunchPreferredClusterDimension, CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION);
  EGPU_SAME(kLaunchCompletionEvent, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  EGPU_SAME(kLaunchDeviceUpdatableKernelNode, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE);
  EGPU_SAME(kLaunchPreferredSharedMemoryCarveout,
            CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  EGPU_SAME(kLaunchParamEnd, CU_LAUNCH_PARAM_END_AS_INT);
  EGPU_SAME(kLaunchParamBufferPointer, CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT);
  EGPU_SAME(kLaunchParamBufferSize, CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT);
  EGPU_SAME(kNodeKernel, CU_GRAPH_NODE_TYPE_KERNEL);
  EGPU_SAME(kNodeMemcpy, CU_GRAPH_NODE_TYPE_MEMCPY);
  EGPU_SAME(kNodeMemset, CU_GRAPH_NODE_TYPE_MEMSET);
  EGPU_SAME(kNodeHost, CU_GRAPH_NODE_TYPE_HOST);
  EGPU_SAME(kNodeGraph, CU_GRAPH_NODE_TYPE_GRAPH);
  EGPU_SAME(kNodeEmpty, CU_GRAPH_NODE_TYPE_EMPTY);
  EGPU_SAME(kNodeWaitEvent, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  EGPU_SAME(kNodeEventRecord, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  EGPU_SAME(kUpdateSuccess, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EGPU_SAME(kUpdateTopologyChanged, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EGPU_SAME(kUpdateNodeTypeChanged, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
}

}  // namespace egpu::cuda
#else
TEST(DriverStructs, AreThoseOfTheToolkitHeader) { GTEST_SKIP() << "cuda.h is not installed"; }
#endif
