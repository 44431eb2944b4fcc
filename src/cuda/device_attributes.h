// What cuDeviceGetAttribute answers: the attributes and their numbers.
#pragma once

namespace egpu::cuda {

using DeviceAttribute = int;  // CUdevice_attribute

// X(constant, name behind "CU_DEVICE_ATTRIBUTE_", number). Source: cuda.h of CUDA 13.0.
#define EGPU_DEVICE_ATTRIBUTES(X)                                                                  \
  X(kMaxThreadsPerBlock, MAX_THREADS_PER_BLOCK, 1)                                                 \
  X(kMaxBlockDimX, MAX_BLOCK_DIM_X, 2)                                                             \
  X(kMaxBlockDimY, MAX_BLOCK_DIM_Y, 3)                                                             \
  X(kMaxBlockDimZ, MAX_BLOCK_DIM_Z, 4)                                                             \
  X(kMaxGridDimX, MAX_GRID_DIM_X, 5)                                                               \
  X(kMaxGridDimY, MAX_GRID_DIM_Y, 6)                                                               \
  X(kMaxGridDimZ, MAX_GRID_DIM_Z, 7)                                                               \
  X(kMaxSharedMemoryPerBlock, MAX_SHARED_MEMORY_PER_BLOCK, 8)                                      \
  X(kTotalConstantMemory, TOTAL_CONSTANT_MEMORY, 9)                                                \
  X(kWarpSize, WARP_SIZE, 10)                                                                      \
  X(kMaxPitch, MAX_PITCH, 11)                                                                      \
  X(kMaxRegistersPerBlock, MAX_REGISTERS_PER_BLOCK, 12)                                            \
  X(kClockRate, CLOCK_RATE, 13)                                                                    \
  X(kTextureAlignment, TEXTURE_ALIGNMENT, 14)                                                      \
  X(kGpuOverlap, GPU_OVERLAP, 15)                                                                  \
  X(kMultiprocessorCount, MULTIPROCESSOR_COUNT, 16)                                                \
  X(kKernelExecTimeout, KERNEL_EXEC_TIMEOUT, 17)                                                   \
  X(kIntegrated, INTEGRATED, 18)                                                                   \
  X(kCanMapHostMemory, CAN_MAP_HOST_MEMORY, 19)                                                    \
  X(kComputeMode, COMPUTE_MODE, 20)                                                                \
  X(kMaximumTexture1dWidth, MAXIMUM_TEXTURE1D_WIDTH, 21)                                           \
  X(kMaximumTexture2dWidth, MAXIMUM_TEXTURE2D_WIDTH, 22)                                           \
  X(kMaximumTexture2dHeight, MAXIMUM_TEXTURE2D_HEIGHT, 23)                                         \
  X(kMaximumTexture3dWidth, MAXIMUM_TEXTURE3D_WIDTH, 24)                                           \
  X(kMaximumTexture3dHeight, MAXIMUM_TEXTURE3D_HEIGHT, 25)                                         \
  X(kMaximumTexture3dDepth, MAXIMUM_TEXTURE3D_DEPTH, 26)                                           \
  X(kMaximumTexture2dLayeredWidth, MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 27)                            \
  X(kMaximumTexture2dLayeredHeight, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 28)                          \
  X(kMaximumTexture2dLayeredLayers, MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 29)                          \
  X(kSurfaceAlignment, SURFACE_ALIGNMENT, 30)                                                      \
  X(kConcurrentKernels, CONCURRENT_KERNELS, 31)                                                    \
  X(kEccEnabled, ECC_ENABLED, 32)                                                                  \
  X(kPciBusId, PCI_BUS_ID, 33)                                                                     \
  X(kPciDeviceId, PCI_DEVICE_ID, 34)                                                               \
  X(kTccDriver, TCC_DRIVER, 35)                                                                    \
  X(kMemoryClockRate, MEMORY_CLOCK_RATE, 36)                                                       \
  X(kGlobalMemoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH, 37)                                            \
  X(kL2CacheSize, L2_CACHE_SIZE, 38)                                                               \
  X(kMaxThreadsPerMultiprocessor, MAX_THREADS_PER_MULTIPROCESSOR, 39)                              \
  X(kAsyncEngineCount, ASYNC_ENGINE_COUNT, 40)                                                     \
  X(kUnifiedAddressing, UNIFIED_ADDRESSING, 41)                                                    \
  X(kMaximumTexture1dLayeredWidth, MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 42)                            \
  X(kMaximumTexture1dLayeredLayers, MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 43)                          \
  X(kCanTex2dGather, CAN_TEX2D_GATHER, 44)                                                         \
  X(kMaximumTexture2dGatherWidth, MAXIMUM_TEXTURE2D_GATHER_WIDTH, 45)                              \
  X(kMaximumTexture2dGatherHeight, MAXIMUM_TEXTURE2D_GATHER_HEIGHT, 46)                            \
  X(kMaximumTexture3dWidthAlternate, MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE, 47)                        \
  X(kMaximumTexture3dHeightAlternate, MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE, 48)                      \
  X(kMaximumTexture3dDepthAlternate, MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE, 49)                        \
  X(kPciDomainId, PCI_DOMAIN_ID, 50)                                                               \
  X(kTexturePitchAlignment, TEXTURE_PITCH_ALIGNMENT, 51)                                           \
  X(kMaximumTexturecubemapWidth, MAXIMUM_TEXTURECUBEMAP_WIDTH, 52)                                 \
  X(kMaximumTexturecubemapLayeredWidth, MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH, 53)                  \
  X(kMaximumTexturecubemapLayeredLayers, MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS, 54)                \
  X(kMaximumSurface1dWidth, MAXIMUM_SURFACE1D_WIDTH, 55)                                           \
  X(kMaximumSurface2dWidth, MAXIMUM_SURFACE2D_WIDTH, 56)                                           \
  X(kMaximumSurface2dHeight, MAXIMUM_SURFACE2D_HEIGHT, 57)                                         \
  X(kMaximumSurface3dWidth, MAXIMUM_SURFACE3D_WIDTH, 58)                                           \
  X(kMaximumSurface3dHeight, MAXIMUM_SURFACE3D_HEIGHT, 59)                                         \
  X(kMaximumSurface3dDepth, MAXIMUM_SURFACE3D_DEPTH, 60)                                           \
  X(kMaximumSurface1dLayeredWidth, MAXIMUM_SURFACE1D_LAYERED_WIDTH, 61)                            \
  X(kMaximumSurface1dLayeredLayers, MAXIMUM_SURFACE1D_LAYERED_LAYERS, 62)                          \
  X(kMaximumSurface2dLayeredWidth, MAXIMUM_SURFACE2D_LAYERED_WIDTH, 63)                            \
  X(kMaximumSurface2dLayeredHeight, MAXIMUM_SURFACE2D_LAYERED_HEIGHT, 64)                          \
  X(kMaximumSurface2dLayeredLayers, MAXIMUM_SURFACE2D_LAYERED_LAYERS, 65)                          \
  X(kMaximumSurfacecubemapWidth, MAXIMUM_SURFACECUBEMAP_WIDTH, 66)                                 \
  X(kMaximumSurfacecubemapLayeredWidth, MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH, 67)                  \
  X(kMaximumSurfacecubemapLayeredLayers, MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS, 68)                \
  X(kMaximumTexture1dLinearWidth, MAXIMUM_TEXTURE1D_LINEAR_WIDTH, 69)                              \
  X(kMaximumTexture2dLinearWidth, MAXIMUM_TEXTURE2D_LINEAR_WIDTH, 70)                              \
  X(kMaximumTexture2dLinearHeight, MAXIMUM_TEXTURE2D_LINEAR_HEIGHT, 71)                            \
  X(kMaximumTexture2dLinearPitch, MAXIMUM_TEXTURE2D_LINEAR_PITCH, 72)                              \
  X(kMaximumTexture2dMipmappedWidth, MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH, 73)                        \
  X(kMaximumTexture2dMipmappedHeight, MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT, 74)                      \
  X(kComputeCapabilityMajor, COMPUTE_CAPABILITY_MAJOR, 75)                                         \
  X(kComputeCapabilityMinor, COMPUTE_CAPABILITY_MINOR, 76)                                         \
  X(kMaximumTexture1dMipmappedWidth, MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH, 77)                        \
  X(kStreamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED, 78)                                   \
  X(kGlobalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED, 79)                                        \
  X(kLocalL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED, 80)                                          \
  X(kMaxSharedMemoryPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                   \
  X(kMaxRegistersPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR, 82)                          \
  X(kManagedMemory, MANAGED_MEMORY, 83)                                                            \
  X(kMultiGpuBoard, MULTI_GPU_BOARD, 84)                                                           \
  X(kMultiGpuBoardGroupId, MULTI_GPU_BOARD_GROUP_ID, 85)                                           \
  X(kHostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED, 86)                                  \
  X(kSingleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87)                  \
  X(kPageableMemoryAccess, PAGEABLE_MEMORY_ACCESS, 88)                                             \
  X(kConcurrentManagedAccess, CONCURRENT_MANAGED_ACCESS, 89)                                       \
  X(kComputePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED, 90)                                 \
  X(kCanUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91)               \
  X(kCanUseStreamMemOpsV1, CAN_USE_STREAM_MEM_OPS_V1, 92)                                          \
  X(kCanUse64BitStreamMemOpsV1, CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 93)                              \
  X(kCanUseStreamWaitValueNorV1, CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 94)                             \
  X(kCooperativeLaunch, COOPERATIVE_LAUNCH, 95)                                                    \
  X(kCooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH, 96)                            \
  X(kMaxSharedMemoryPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                          \
  X(kCanFlushRemoteWrites, CAN_FLUSH_REMOTE_WRITES, 98)                                            \
  X(kHostRegisterSupported, HOST_REGISTER_SUPPORTED, 99)                                           \
  X(kPageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100)    \
  X(kDirectManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101)                     \
  X(kVirtualMemoryManagementSupported, VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)                   \
  X(kHandleTypePosixFileDescriptorSupported, HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103)     \
  X(kHandleTypeWin32HandleSupported, HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 104)                      \
  X(kHandleTypeWin32KmtHandleSupported, HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 105)               \
  X(kMaxBlocksPerMultiprocessor, MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                               \
  X(kGenericCompressionSupported, GENERIC_COMPRESSION_SUPPORTED, 107)                              \
  X(kMaxPersistingL2CacheSize, MAX_PERSISTING_L2_CACHE_SIZE, 108)                                  \
  X(kMaxAccessPolicyWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE, 109)                                \
  X(kGpuDirectRdmaWithCudaVmmSupported, GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 110)              \
  X(kReservedSharedMemoryPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK, 111)                          \
  X(kSparseCudaArraySupported, SPARSE_CUDA_ARRAY_SUPPORTED, 112)                                   \
  X(kReadOnlyHostRegisterSupported, READ_ONLY_HOST_REGISTER_SUPPORTED, 113)                        \
  X(kTimelineSemaphoreInteropSupported, TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 114)                 \
  X(kMemoryPoolsSupported, MEMORY_POOLS_SUPPORTED, 115)                                            \
  X(kGpuDirectRdmaSupported, GPU_DIRECT_RDMA_SUPPORTED, 116)                                       \
  X(kGpuDirectRdmaFlushWritesOptions, GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, 117)                   \
  X(kGpuDirectRdmaWritesOrdering, GPU_DIRECT_RDMA_WRITES_ORDERING, 118)                            \
  X(kMempoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES, 119)                             \
  X(kClusterLaunch, CLUSTER_LAUNCH, 120)                                                           \
  X(kDeferredMappingCudaArraySupported, DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 121)                \
  X(kCanUse64BitStreamMemOps, CAN_USE_64_BIT_STREAM_MEM_OPS, 122)                                  \
  X(kCanUseStreamWaitValueNor, CAN_USE_STREAM_WAIT_VALUE_NOR, 123)                                 \
  X(kDmaBufSupported, DMA_BUF_SUPPORTED, 124)                                                      \
  X(kIpcEventSupported, IPC_EVENT_SUPPORTED, 125)                                                  \
  X(kMemSyncDomainCount, MEM_SYNC_DOMAIN_COUNT, 126)                                               \
  X(kTensorMapAccessSupported, TENSOR_MAP_ACCESS_SUPPORTED, 127)                                   \
  X(kHandleTypeFabricSupported, HANDLE_TYPE_FABRIC_SUPPORTED, 128)                                 \
  X(kUnifiedFunctionPointers, UNIFIED_FUNCTION_POINTERS, 129)                                      \
  X(kNumaConfig, NUMA_CONFIG, 130)                                                                 \
  X(kNumaId, NUMA_ID, 131)                                                                         \
  X(kMulticastSupported, MULTICAST_SUPPORTED, 132)                                                 \
  X(kMpsEnabled, MPS_ENABLED, 133)                                                                 \
  X(kHostNumaId, HOST_NUMA_ID, 134)                                                                \
  X(kD3d12CigSupported, D3D12_CIG_SUPPORTED, 135)                                                  \
  X(kMemDecompressAlgorithmMask, MEM_DECOMPRESS_ALGORITHM_MASK, 136)                               \
  X(kMemDecompressMaximumLength, MEM_DECOMPRESS_MAXIMUM_LENGTH, 137)                               \
  X(kVulkanCigSupported, VULKAN_CIG_SUPPORTED, 138)                                                \
  X(kGpuPciDeviceId, GPU_PCI_DEVICE_ID, 139)                                                       \
  X(kGpuPciSubsystemId, GPU_PCI_SUBSYSTEM_ID, 140)                                                 \
  X(kHostNumaVirtualMemoryManagementSupported, HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 141) \
  X(kHostNumaMemoryPoolsSupported, HOST_NUMA_MEMORY_POOLS_SUPPORTED, 142)                          \
  X(kHostNumaMultinodeIpcSupported, HOST_NUMA_MULTINODE_IPC_SUPPORTED, 143)                        \
  X(kHostMemoryPoolsSupported, HOST_MEMORY_POOLS_SUPPORTED, 144)                                   \
  X(kHostVirtualMemoryManagementSupported, HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 145)          \
  X(kHostAllocDmaBufSupported, HOST_ALLOC_DMA_BUF_SUPPORTED, 146)                                  \
  X(kOnlyPartialHostNativeAtomicSupported, ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED, 147)

#define EGPU_DEVICE_ATTRIBUTE(constant, name, number) \
  inline constexpr DeviceAttribute constant = number;
EGPU_DEVICE_ATTRIBUTES(EGPU_DEVICE_ATTRIBUTE)
#undef EGPU_DEVICE_ATTRIBUTE

}  // namespace egpu::cuda
