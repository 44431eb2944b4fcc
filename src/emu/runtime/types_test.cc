// Compares our declarations with the toolkit's, where it is installed.
#include "emu/runtime/types.h"

#include <gtest/gtest.h>

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>

#include "emu/runtime/error_names.h"

namespace egpu::emu::runtime {

#define EGPU_SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define EGPU_SAME_PLACE(ours, our_member, theirs, their_member) \
  static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member))

EGPU_SAME_SIZE(Dim3, dim3);
EGPU_SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
EGPU_SAME_PLACE(LaunchConfig, block, cudaLaunchConfig_t, blockDim);
EGPU_SAME_PLACE(LaunchConfig, shared_bytes, cudaLaunchConfig_t, dynamicSmemBytes);
EGPU_SAME_PLACE(LaunchConfig, stream, cudaLaunchConfig_t, stream);
EGPU_SAME_PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
EGPU_SAME_PLACE(LaunchConfig, attribute_count, cudaLaunchConfig_t, numAttrs);
EGPU_SAME_SIZE(cuda::LaunchAttribute, cudaLaunchAttribute);
EGPU_SAME_PLACE(cuda::LaunchAttribute, value, cudaLaunchAttribute, val);

EGPU_SAME_SIZE(FunctionAttributes, cudaFuncAttributes);
EGPU_SAME_PLACE(FunctionAttributes, max_threads_per_block, cudaFuncAttributes, maxThreadsPerBlock);
EGPU_SAME_PLACE(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
EGPU_SAME_PLACE(FunctionAttributes, ptx_version, cudaFuncAttributes, ptxVersion);
EGPU_SAME_PLACE(FunctionAttributes, binary_version, cudaFuncAttributes, binaryVersion);
EGPU_SAME_PLACE(FunctionAttributes, cache_mode_ca, cudaFuncAttributes, cacheModeCA);
EGPU_SAME_PLACE(FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes,
                maxDynamicSharedSizeBytes);
EGPU_SAME_PLACE(FunctionAttributes, preferred_shared_carveout, cudaFuncAttributes,
                preferredShmemCarveout);
EGPU_SAME_PLACE(FunctionAttributes, cluster_size_must_be_set, cudaFuncAttributes,
                clusterDimMustBeSet);
EGPU_SAME_PLACE(FunctionAttributes, required_cluster, cudaFuncAttributes, requiredClusterWidth);
EGPU_SAME_PLACE(FunctionAttributes, cluster_scheduling_policy_preference, cudaFuncAttributes,
                clusterSchedulingPolicyPreference);
EGPU_SAME_PLACE(FunctionAttributes, non_portable_cluster_size_allowed, cudaFuncAttributes,
                nonPortableClusterSizeAllowed);

EGPU_SAME_SIZE(PointerAttributes, cudaPointerAttributes);
EGPU_SAME_PLACE(PointerAttributes, device, cudaPointerAttributes, device);
EGPU_SAME_PLACE(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
EGPU_SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);

EGPU_SAME_SIZE(Copy3d, cudaMemcpy3DParms);
EGPU_SAME_PLACE(Copy3d, source_position, cudaMemcpy3DParms, srcPos);
EGPU_SAME_PLACE(Copy3d, source, cudaMemcpy3DParms, srcPtr);
EGPU_SAME_PLACE(Copy3d, destination_array, cudaMemcpy3DParms, dstArray);
EGPU_SAME_PLACE(Copy3d, destination_position, cudaMemcpy3DParms, dstPos);
EGPU_SAME_PLACE(Copy3d, destination, cudaMemcpy3DParms, dstPtr);
EGPU_SAME_PLACE(Copy3d, extent, cudaMemcpy3DParms, extent);
EGPU_SAME_PLACE(Copy3d, kind, cudaMemcpy3DParms, kind);
EGPU_SAME_SIZE(PeerCopy3d, cudaMemcpy3DPeerParms);
EGPU_SAME_PLACE(PeerCopy3d, source_device, cudaMemcpy3DPeerParms, srcDevice);
EGPU_SAME_PLACE(PeerCopy3d, destination, cudaMemcpy3DPeerParms, dstPtr);
EGPU_SAME_PLACE(PeerCopy3d, extent, cudaMemcpy3DPeerParms, extent);
EGPU_SAME_SIZE(PitchedPointer, cudaPitchedPtr);
EGPU_SAME_PLACE(PitchedPointer, pitch, cudaPitchedPtr, pitch);
EGPU_SAME_PLACE(PitchedPointer, width, cudaPitchedPtr, xsize);
EGPU_SAME_PLACE(PitchedPointer, height, cudaPitchedPtr, ysize);

EGPU_SAME_SIZE(KernelNodeParameters, cudaKernelNodeParams);
EGPU_SAME_SIZE(KernelNodeParameters, cudaKernelNodeParamsV2);
EGPU_SAME_PLACE(KernelNodeParameters, shared_bytes, cudaKernelNodeParams, sharedMemBytes);
EGPU_SAME_PLACE(KernelNodeParameters, parameters, cudaKernelNodeParams, kernelParams);
EGPU_SAME_SIZE(MemsetParameters, cudaMemsetParams);
EGPU_SAME_PLACE(MemsetParameters, width, cudaMemsetParams, width);
EGPU_SAME_SIZE(cuda::HostNodeParameters, cudaHostNodeParams);
EGPU_SAME_SIZE(GraphNodeParameters, cudaGraphNodeParams);
EGPU_SAME_PLACE(GraphNodeParameters, kernel, cudaGraphNodeParams, kernel);
EGPU_SAME_PLACE(GraphNodeParameters, memcpy.copy, cudaGraphNodeParams, memcpy.copyParams);
EGPU_SAME_PLACE(GraphNodeParameters, child.ownership, cudaGraphNodeParams, graph.ownership);
EGPU_SAME_SIZE(cuda::GraphEdge, cudaGraphEdgeData);
EGPU_SAME_SIZE(cuda::InstantiateParameters, cudaGraphInstantiateParams);
EGPU_SAME_SIZE(cuda::GraphUpdateResult, cudaGraphExecUpdateResultInfo);
EGPU_SAME_SIZE(cuda::PoolProperties, cudaMemPoolProps);
EGPU_SAME_SIZE(cuda::MemoryAccess, cudaMemAccessDesc);
EGPU_SAME_SIZE(cuda::MemoryLocation, cudaMemLocation);
EGPU_SAME_SIZE(ChannelFormat, cudaChannelFormatDesc);

EGPU_SAME_SIZE(DeviceProperties, cudaDeviceProp);
// NOLINTBEGIN(bugprone-macro-parentheses): names of members
#define EGPU_SAME_PROPERTY(ours, theirs) \
  EGPU_SAME_PLACE(DeviceProperties, ours, cudaDeviceProp, theirs)
// NOLINTEND(bugprone-macro-parentheses)
EGPU_SAME_PROPERTY(uuid, uuid);
EGPU_SAME_PROPERTY(luid, luid);
EGPU_SAME_PROPERTY(luid_device_node_mask, luidDeviceNodeMask);
EGPU_SAME_PROPERTY(total_global_memory, totalGlobalMem);
EGPU_SAME_PROPERTY(shared_per_block, sharedMemPerBlock);
EGPU_SAME_PROPERTY(registers_per_block, regsPerBlock);
EGPU_SAME_PROPERTY(warp_size, warpSize);
EGPU_SAME_PROPERTY(max_pitch, memPitch);
EGPU_SAME_PROPERTY(max_threads_per_block, maxThreadsPerBlock);
EGPU_SAME_PROPERTY(max_threads_dim, maxThreadsDim);
EGPU_SAME_PROPERTY(max_grid_size, maxGridSize);
EGPU_SAME_PROPERTY(total_constant_memory, totalConstMem);
EGPU_SAME_PROPERTY(major, major);
EGPU_SAME_PROPERTY(minor, minor);
EGPU_SAME_PROPERTY(texture_alignment, textureAlignment);
EGPU_SAME_PROPERTY(texture_pitch_alignment, texturePitchAlignment);
EGPU_SAME_PROPERTY(multiprocessors, multiProcessorCount);
EGPU_SAME_PROPERTY(integrated, integrated);
EGPU_SAME_PROPERTY(can_map_host_memory, canMapHostMemory);
EGPU_SAME_PROPERTY(textures_and_surfaces, maxTexture1D);
EGPU_SAME_PROPERTY(surface_alignment, surfaceAlignment);
EGPU_SAME_PROPERTY(concurrent_kernels, concurrentKernels);
EGPU_SAME_PROPERTY(ecc_enabled, ECCEnabled);
EGPU_SAME_PROPERTY(pci_bus, pciBusID);
EGPU_SAME_PROPERTY(pci_device, pciDeviceID);
EGPU_SAME_PROPERTY(pci_domain, pciDomainID);
EGPU_SAME_PROPERTY(tcc_driver, tccDriver);
EGPU_SAME_PROPERTY(async_engines, asyncEngineCount);
EGPU_SAME_PROPERTY(unified_addressing, unifiedAddressing);
EGPU_SAME_PROPERTY(memory_bus_width, memoryBusWidth);
EGPU_SAME_PROPERTY(l2_cache_size, l2CacheSize);
EGPU_SAME_PROPERTY(persisting_l2_cache_max_size, persistingL2CacheMaxSize);
EGPU_SAME_PROPERTY(max_threads_per_multiprocessor, maxThreadsPerMultiProcessor);
EGPU_SAME_PROPERTY(stream_priorities_supported, streamPrioritiesSupported);
EGPU_SAME_PROPERTY(global_l1_cache_supported, globalL1CacheSupported);
EGPU_SAME_PROPERTY(local_l1_cache_supported, localL1CacheSupported);
EGPU_SAME_PROPERTY(shared_per_multiprocessor, sharedMemPerMultiprocessor);
EGPU_SAME_PROPERTY(registers_per_multiprocessor, regsPerMultiprocessor);
EGPU_SAME_PROPERTY(managed_memory, managedMemory);
EGPU_SAME_PROPERTY(is_multi_gpu_board, isMultiGpuBoard);
EGPU_SAME_PROPERTY(multi_gpu_board_group, multiGpuBoardGroupID);
EGPU_SAME_PROPERTY(host_native_atomic_supported, hostNativeAtomicSupported);
EGPU_SAME_PROPERTY(pageable_memory_access, pageableMemoryAccess);
EGPU_SAME_PROPERTY(concurrent_managed_access, concurrentManagedAccess);
EGPU_SAME_PROPERTY(compute_preemption_supported, computePreemptionSupported);
EGPU_SAME_PROPERTY(can_use_host_pointer_for_registered_memory, canUseHostPointerForRegisteredMem);
EGPU_SAME_PROPERTY(cooperative_launch, cooperativeLaunch);
EGPU_SAME_PROPERTY(shared_per_block_optin, sharedMemPerBlockOptin);
EGPU_SAME_PROPERTY(pageable_memory_access_uses_host_page_tables,
                   pageableMemoryAccessUsesHostPageTables);
EGPU_SAME_PROPERTY(direct_managed_memory_access_from_host, directManagedMemAccessFromHost);
EGPU_SAME_PROPERTY(max_blocks_per_multiprocessor, maxBlocksPerMultiProcessor);
EGPU_SAME_PROPERTY(access_policy_max_window_size, accessPolicyMaxWindowSize);
EGPU_SAME_PROPERTY(reserved_shared_per_block, reservedSharedMemPerBlock);
EGPU_SAME_PROPERTY(host_register_supported, hostRegisterSupported);
EGPU_SAME_PROPERTY(sparse_array_supported, sparseCudaArraySupported);
EGPU_SAME_PROPERTY(host_register_read_only_supported, hostRegisterReadOnlySupported);
EGPU_SAME_PROPERTY(timeline_semaphore_interop_supported, timelineSemaphoreInteropSupported);
EGPU_SAME_PROPERTY(memory_pools_supported, memoryPoolsSupported);
EGPU_SAME_PROPERTY(gpu_direct_rdma_supported, gpuDirectRDMASupported);
EGPU_SAME_PROPERTY(gpu_direct_rdma_flush_writes_options, gpuDirectRDMAFlushWritesOptions);
EGPU_SAME_PROPERTY(gpu_direct_rdma_writes_ordering, gpuDirectRDMAWritesOrdering);
EGPU_SAME_PROPERTY(memory_pool_supported_handle_types, memoryPoolSupportedHandleTypes);
EGPU_SAME_PROPERTY(deferred_mapping_array_supported, deferredMappingCudaArraySupported);
EGPU_SAME_PROPERTY(ipc_event_supported, ipcEventSupported);
EGPU_SAME_PROPERTY(cluster_launch, clusterLaunch);
EGPU_SAME_PROPERTY(unified_function_pointers, unifiedFunctionPointers);
EGPU_SAME_PROPERTY(device_numa_config, deviceNumaConfig);
EGPU_SAME_PROPERTY(device_numa_id, deviceNumaId);
EGPU_SAME_PROPERTY(mps_enabled, mpsEnabled);
EGPU_SAME_PROPERTY(host_numa_id, hostNumaId);
EGPU_SAME_PROPERTY(gpu_pci_device, gpuPciDeviceID);
EGPU_SAME_PROPERTY(gpu_pci_subsystem, gpuPciSubsystemID);
EGPU_SAME_PROPERTY(host_numa_multinode_ipc_supported, hostNumaMultinodeIpcSupported);

TEST(RuntimeTypes, ValuesAreThoseOfTheToolkitHeader) {
  EXPECT_EQ(kInvalidValue, cudaErrorInvalidValue);
  EXPECT_EQ(kInvalidConfiguration, cudaErrorInvalidConfiguration);
  EXPECT_EQ(kInvalidSymbol, cudaErrorInvalidSymbol);
  EXPECT_EQ(kInvalidMemcpyDirection, cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(kMissingConfiguration, cudaErrorMissingConfiguration);
  EXPECT_EQ(kInvalidDeviceFunction, cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(kInvalidDevice, cudaErrorInvalidDevice);
  EXPECT_EQ(kNotSupported, cudaErrorNotSupported);
  EXPECT_EQ(kRuntimeVersion, CUDART_VERSION);
  EXPECT_EQ(kInvalidDeviceId, cudaInvalidDeviceId);
  EXPECT_EQ(kHostToHost, cudaMemcpyHostToHost);
  EXPECT_EQ(kHostToDevice, cudaMemcpyHostToDevice);
  EXPECT_EQ(kDeviceToHost, cudaMemcpyDeviceToHost);
  EXPECT_EQ(kDeviceToDevice, cudaMemcpyDeviceToDevice);
  EXPECT_EQ(kCopyDefault, cudaMemcpyDefault);
  EXPECT_EQ(kMemoryUnregistered, cudaMemoryTypeUnregistered);
  EXPECT_EQ(kMemoryHost, cudaMemoryTypeHost);
  EXPECT_EQ(kMemoryDevice, cudaMemoryTypeDevice);
  EXPECT_EQ(kMemoryManaged, cudaMemoryTypeManaged);
}

TEST(RuntimeTypes, ErrorsAreThoseOfTheToolkitHeader) {
#define EGPU_COMPARE(name, value) EXPECT_EQ(value, ::name) << #name;
  EGPU_RUNTIME_ERRORS(EGPU_COMPARE)
#undef EGPU_COMPARE
}

// What is handed to the driver as it came.
TEST(RuntimeTypes, SharedNumbersAreTheDrivers) {
  EXPECT_EQ(cuda::kSuccess, cudaSuccess);
  EXPECT_EQ(cuda::kOutOfMemory, cudaErrorMemoryAllocation);
  EXPECT_EQ(cuda::kInvalidHandle, cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cuda::kNotFound, cudaErrorSymbolNotFound);
  EXPECT_EQ(cuda::kNotReady, cudaErrorNotReady);
  EXPECT_EQ(cuda::kIllegalAddress, cudaErrorIllegalAddress);
  EXPECT_EQ(cuda::kLaunchOutOfResources, cudaErrorLaunchOutOfResources);
  EXPECT_EQ(cuda::kMultiprocessorCount, cudaDevAttrMultiProcessorCount);
  EXPECT_EQ(cuda::kMaxSharedMemoryPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  EXPECT_EQ(cuda::kClusterLaunch, cudaDevAttrClusterLaunch);
  EXPECT_EQ(cuda::kFunctionMaxDynamicSharedSizeBytes, cudaFuncAttributeMaxDynamicSharedMemorySize);
  EXPECT_EQ(cuda::kFunctionPreferredSharedMemoryCarveout,
            cudaFuncAttributePreferredSharedMemoryCarveout);
  EXPECT_EQ(cuda::kLimitStackSize, cudaLimitStackSize);
  EXPECT_EQ(cuda::kPoolReleaseThreshold, cudaMemPoolAttrReleaseThreshold);
  EXPECT_EQ(cuda::kNodeEventRecord, cudaGraphNodeTypeEventRecord);
  EXPECT_EQ(cuda::kLaunchClusterDimension, cudaLaunchAttributeClusterDimension);
  EXPECT_EQ(cuda::kProcAddressPerThreadStream, cudaEnablePerThreadDefaultStream);
}

}  // namespace egpu::emu::runtime
#else
TEST(RuntimeTypes, ValuesAreThoseOfTheToolkitHeader) {
  GTEST_SKIP() << "cuda_runtime_api.h is not installed";
}
#endif
