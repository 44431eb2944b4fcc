// cudaGetDeviceProperties(): attributes of the driver in one structure.
#include "emu/runtime/call.h"

namespace egpu::emu::runtime {
namespace {

// Reads attributes of one device; the first error stays.
class Attributes {
 public:
  explicit Attributes(int device) : device_(device) {}

  int operator()(cuda::DeviceAttribute attribute) {
    int value = 0;
    if (error_ == kSuccess) error_ = cuDeviceGetAttribute(&value, attribute, device_);
    return value;
  }
  std::size_t bytes(cuda::DeviceAttribute attribute) {
    return static_cast<std::size_t>((*this)(attribute));
  }
  [[nodiscard]] Error error() const { return error_; }

 private:
  int device_;
  Error error_ = kSuccess;
};

void fill_limits(DeviceProperties& to, Attributes& of) {
  to.shared_per_block = of.bytes(cuda::kMaxSharedMemoryPerBlock);
  to.registers_per_block = of(cuda::kMaxRegistersPerBlock);
  to.warp_size = of(cuda::kWarpSize);
  to.max_pitch = of.bytes(cuda::kMaxPitch);
  to.max_threads_per_block = of(cuda::kMaxThreadsPerBlock);
  for (int i = 0; i < 3; ++i) {
    to.max_threads_dim[i] = of(cuda::kMaxBlockDimX + i);
    to.max_grid_size[i] = of(cuda::kMaxGridDimX + i);
  }
  to.total_constant_memory = of.bytes(cuda::kTotalConstantMemory);
  to.texture_alignment = of.bytes(cuda::kTextureAlignment);
  to.texture_pitch_alignment = of.bytes(cuda::kTexturePitchAlignment);
  to.surface_alignment = of.bytes(cuda::kSurfaceAlignment);
  to.max_threads_per_multiprocessor = of(cuda::kMaxThreadsPerMultiprocessor);
  to.max_blocks_per_multiprocessor = of(cuda::kMaxBlocksPerMultiprocessor);
  to.registers_per_multiprocessor = of(cuda::kMaxRegistersPerMultiprocessor);
  to.shared_per_multiprocessor = of.bytes(cuda::kMaxSharedMemoryPerMultiprocessor);
  to.shared_per_block_optin = of.bytes(cuda::kMaxSharedMemoryPerBlockOptin);
  to.reserved_shared_per_block = of.bytes(cuda::kReservedSharedMemoryPerBlock);
  to.access_policy_max_window_size = of(cuda::kMaxAccessPolicyWindowSize);
  to.persisting_l2_cache_max_size = of(cuda::kMaxPersistingL2CacheSize);
}

void fill_identity(DeviceProperties& to, Attributes& of) {
  to.major = of(cuda::kComputeCapabilityMajor);
  to.minor = of(cuda::kComputeCapabilityMinor);
  to.multiprocessors = of(cuda::kMultiprocessorCount);
  to.integrated = of(cuda::kIntegrated);
  to.ecc_enabled = of(cuda::kEccEnabled);
  to.pci_bus = of(cuda::kPciBusId);
  to.pci_device = of(cuda::kPciDeviceId);
  to.pci_domain = of(cuda::kPciDomainId);
  to.tcc_driver = of(cuda::kTccDriver);
  to.memory_bus_width = of(cuda::kGlobalMemoryBusWidth);
  to.l2_cache_size = of(cuda::kL2CacheSize);
  to.is_multi_gpu_board = of(cuda::kMultiGpuBoard);
  to.multi_gpu_board_group = of(cuda::kMultiGpuBoardGroupId);
  to.device_numa_config = of(cuda::kNumaConfig);
  to.device_numa_id = of(cuda::kNumaId);
  to.host_numa_id = of(cuda::kHostNumaId);
  to.gpu_pci_device = static_cast<unsigned>(of(cuda::kGpuPciDeviceId));
  to.gpu_pci_subsystem = static_cast<unsigned>(of(cuda::kGpuPciSubsystemId));
}

void fill_features(DeviceProperties& to, Attributes& of) {
  to.can_map_host_memory = of(cuda::kCanMapHostMemory);
  to.concurrent_kernels = of(cuda::kConcurrentKernels);
  to.async_engines = of(cuda::kAsyncEngineCount);
  to.unified_addressing = of(cuda::kUnifiedAddressing);
  to.stream_priorities_supported = of(cuda::kStreamPrioritiesSupported);
  to.global_l1_cache_supported = of(cuda::kGlobalL1CacheSupported);
  to.local_l1_cache_supported = of(cuda::kLocalL1CacheSupported);
  to.managed_memory = of(cuda::kManagedMemory);
  to.host_native_atomic_supported = of(cuda::kHostNativeAtomicSupported);
  to.pageable_memory_access = of(cuda::kPageableMemoryAccess);
  to.concurrent_managed_access = of(cuda::kConcurrentManagedAccess);
  to.compute_preemption_supported = of(cuda::kComputePreemptionSupported);
  to.can_use_host_pointer_for_registered_memory = of(cuda::kCanUseHostPointerForRegisteredMem);
  to.cooperative_launch = of(cuda::kCooperativeLaunch);
  to.pageable_memory_access_uses_host_page_tables =
      of(cuda::kPageableMemoryAccessUsesHostPageTables);
  to.direct_managed_memory_access_from_host = of(cuda::kDirectManagedMemAccessFromHost);
  to.host_register_supported = of(cuda::kHostRegisterSupported);
  to.sparse_array_supported = of(cuda::kSparseCudaArraySupported);
  to.host_register_read_only_supported = of(cuda::kReadOnlyHostRegisterSupported);
  to.timeline_semaphore_interop_supported = of(cuda::kTimelineSemaphoreInteropSupported);
  to.memory_pools_supported = of(cuda::kMemoryPoolsSupported);
  to.gpu_direct_rdma_supported = of(cuda::kGpuDirectRdmaSupported);
  to.gpu_direct_rdma_flush_writes_options =
      static_cast<unsigned>(of(cuda::kGpuDirectRdmaFlushWritesOptions));
  to.gpu_direct_rdma_writes_ordering = of(cuda::kGpuDirectRdmaWritesOrdering);
  to.memory_pool_supported_handle_types =
      static_cast<unsigned>(of(cuda::kMempoolSupportedHandleTypes));
  to.deferred_mapping_array_supported = of(cuda::kDeferredMappingCudaArraySupported);
  to.ipc_event_supported = of(cuda::kIpcEventSupported);
  to.cluster_launch = of(cuda::kClusterLaunch);
  to.unified_function_pointers = of(cuda::kUnifiedFunctionPointers);
  to.mps_enabled = of(cuda::kMpsEnabled);
  to.host_numa_multinode_ipc_supported = of(cuda::kHostNumaMultinodeIpcSupported);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the runtime's name
EGPU_API cudaGetDeviceProperties(DeviceProperties* properties, int device) {
  return without_context([&]() -> Error {
    if (properties == nullptr) return kInvalidValue;
    *properties = {};
    EGPU_CHECK(cuDeviceGetName(properties->name, sizeof properties->name, device));
    EGPU_CHECK(cuDeviceGetUuid_v2(&properties->uuid, device));
    EGPU_CHECK(cuDeviceTotalMem_v2(&properties->total_global_memory, device));
    Attributes attributes(device);
    fill_identity(*properties, attributes);
    fill_limits(*properties, attributes);
    fill_features(*properties, attributes);
    return attributes.error();
  });
}

}  // namespace egpu::emu::runtime
