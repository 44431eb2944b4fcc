// What the CUDA runtime API passes, declared here so that no toolkit is needed. Handles, streams
// and most enumerations are the driver's (cuda/driver_structs.h). Source of every value and layout:
// driver_types.h and cuda_runtime_api.h of CUDA 13.0, whose names stand in the comments;
// types_test.cc compares them where the headers are installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/driver_structs.h"

namespace egpu::emu::runtime {

// cudaError_t. Numbers that driver and runtime share mean the same to both.
using Error = int;
inline constexpr Error kSuccess = 0;                  // cudaSuccess
inline constexpr Error kInvalidValue = 1;             // cudaErrorInvalidValue
inline constexpr Error kInvalidConfiguration = 9;     // cudaErrorInvalidConfiguration
inline constexpr Error kInvalidSymbol = 13;           // cudaErrorInvalidSymbol
inline constexpr Error kInvalidMemcpyDirection = 21;  // cudaErrorInvalidMemcpyDirection
inline constexpr Error kMissingConfiguration = 52;    // cudaErrorMissingConfiguration
inline constexpr Error kInvalidDeviceFunction = 98;   // cudaErrorInvalidDeviceFunction
inline constexpr Error kInvalidDevice = 101;          // cudaErrorInvalidDevice
inline constexpr Error kNotSupported = 801;           // cudaErrorNotSupported

inline constexpr int kRuntimeVersion = 13000;  // CUDART_VERSION

inline constexpr int kInvalidDeviceId = -2;  // cudaInvalidDeviceId

using CopyKind = int;  // cudaMemcpyKind: cudaMemcpy...
inline constexpr CopyKind kHostToHost = 0;
inline constexpr CopyKind kHostToDevice = 1;
inline constexpr CopyKind kDeviceToHost = 2;
inline constexpr CopyKind kDeviceToDevice = 3;
inline constexpr CopyKind kCopyDefault = 4;

using MemoryType = int;  // cudaMemoryType: cudaMemoryType...
inline constexpr MemoryType kMemoryUnregistered = 0;
inline constexpr MemoryType kMemoryHost = 1;
inline constexpr MemoryType kMemoryDevice = 2;
inline constexpr MemoryType kMemoryManaged = 3;

struct Dim3 {  // dim3
  unsigned x, y, z;
};

struct LaunchConfig {  // cudaLaunchConfig_t
  Dim3 grid, block;
  std::size_t shared_bytes;
  cuda::Stream stream;
  cuda::LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct FunctionAttributes {  // cudaFuncAttributes
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared_bytes, preferred_shared_carveout;
  int cluster_size_must_be_set, required_cluster[3], cluster_scheduling_policy_preference;
  int non_portable_cluster_size_allowed;
  int reserved[16];
};

struct PointerAttributes {  // cudaPointerAttributes
  MemoryType type;
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};

using Array = struct RuntimeArrayOpaque*;  // cudaArray_t

struct PitchedPointer {  // cudaPitchedPtr
  void* pointer;
  std::size_t pitch, width, height;
};
struct Position {  // cudaPos
  std::size_t x, y, z;
};
struct Extent {  // cudaExtent
  std::size_t width, height, depth;
};
struct Copy3d {  // cudaMemcpy3DParms
  Array source_array;
  Position source_position;
  PitchedPointer source;
  Array destination_array;
  Position destination_position;
  PitchedPointer destination;
  Extent extent;
  CopyKind kind;
};
struct PeerCopy3d {  // cudaMemcpy3DPeerParms
  Array source_array;
  Position source_position;
  PitchedPointer source;
  int source_device;
  Array destination_array;
  Position destination_position;
  PitchedPointer destination;
  int destination_device;
  Extent extent;
};

struct KernelNodeParameters {  // cudaKernelNodeParams, cudaKernelNodeParamsV2
  void* function;
  Dim3 grid, block;
  unsigned shared_bytes;
  void** parameters;
  void** extra;
};
struct MemsetParameters {  // cudaMemsetParams, cudaMemsetParamsV2
  void* destination;
  std::size_t pitch;
  unsigned value, element_size;
  std::size_t width, height;  // elements, rows
};
struct GraphNodeParameters {  // cudaGraphNodeParams
  cuda::GraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParameters kernel;
    struct {  // cudaMemcpyNodeParams
      int flags;
      int reserved[3];
      Copy3d copy;
    } memcpy;
    MemsetParameters memset;
    cuda::HostNodeParameters host;  // cudaHostNodeParams, cudaHostNodeParamsV2
    struct {                        // cudaChildGraphNodeParams
      cuda::Graph graph;
      int ownership;
    } child;
    cuda::Event event;  // cudaEventWaitNodeParams, cudaEventRecordNodeParams
  };
  long long reserved2;
};

struct ChannelFormat {  // cudaChannelFormatDesc
  int x, y, z, w;
  int kind;
};

// cudaStreamCallback_t
using StreamCallback = void (*)(cuda::Stream, Error, void*);

struct DeviceProperties {  // cudaDeviceProp
  char name[256];
  cuda::Uuid uuid;
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t max_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  std::size_t total_constant_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, can_map_host_memory;
  int textures_and_surfaces[39];  // from maxTexture1D to maxSurfaceCubemapLayered
  std::size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver;
  int async_engines, unified_addressing, memory_bus_width, l2_cache_size;
  int persisting_l2_cache_max_size, max_threads_per_multiprocessor;
  int stream_priorities_supported, global_l1_cache_supported, local_l1_cache_supported;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group;
  int host_native_atomic_supported, pageable_memory_access, concurrent_managed_access;
  int compute_preemption_supported, can_use_host_pointer_for_registered_memory;
  int cooperative_launch;
  std::size_t shared_per_block_optin;
  int pageable_memory_access_uses_host_page_tables, direct_managed_memory_access_from_host;
  int max_blocks_per_multiprocessor, access_policy_max_window_size;
  std::size_t reserved_shared_per_block;
  int host_register_supported, sparse_array_supported, host_register_read_only_supported;
  int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
  unsigned gpu_direct_rdma_flush_writes_options;
  int gpu_direct_rdma_writes_ordering;
  unsigned memory_pool_supported_handle_types;
  int deferred_mapping_array_supported, ipc_event_supported, cluster_launch;
  int unified_function_pointers, device_numa_config, device_numa_id, mps_enabled, host_numa_id;
  unsigned gpu_pci_device, gpu_pci_subsystem;
  int host_numa_multinode_ipc_supported;
  int reserved[56];
};

}  // namespace egpu::emu::runtime
