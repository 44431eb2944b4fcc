// What else the driver API passes by pointer, for code that stands in for the driver: handles,
// structures and the numbers in them. Source of every value and layout: cuda.h of CUDA 13.0, whose
// names stand in the comments; driver_structs_test.cc compares them where the header is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/driver_types.h"

namespace egpu::cuda {

using Event = struct EventOpaque*;                       // CUevent
using Graph = struct GraphOpaque*;                       // CUgraph
using GraphNode = struct GraphNodeOpaque*;               // CUgraphNode
using GraphExec = struct GraphExecOpaque*;               // CUgraphExec
using MemoryPool = struct MemoryPoolOpaque*;             // CUmemoryPool
using LinkState = struct LinkStateOpaque*;               // CUlinkState
using Array = struct ArrayOpaque*;                       // CUarray
using PhysicalMemory = std::uint64_t;                    // CUmemGenericAllocationHandle
using HostFunction = void (*)(void*);                    // CUhostFn
using StreamCallback = void (*)(Stream, Status, void*);  // CUstreamCallback
using BlockSizeToShared = std::size_t (*)(int);          // CUoccupancyB2DSize

inline constexpr Device kCpuDevice = -1;  // CU_DEVICE_CPU

// Flags of contexts: CU_CTX_...
inline constexpr unsigned kContextFlagsMask = 0xff;

// Flags of events: CU_EVENT_...
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kEventInterprocess = 4;
inline constexpr unsigned kEventExternal = 1;  // CU_EVENT_RECORD_EXTERNAL, CU_EVENT_WAIT_EXTERNAL

inline constexpr CaptureMode kCaptureThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

using CaptureStatus = int;  // CUstreamCaptureStatus: CU_STREAM_CAPTURE_STATUS_...
inline constexpr CaptureStatus kNotCapturing = 0;
inline constexpr CaptureStatus kCaptureActive = 1;
inline constexpr CaptureStatus kCaptureInvalidated = 2;

using Limit = int;  // CUlimit: CU_LIMIT_...
inline constexpr Limit kLimitStackSize = 0;
inline constexpr Limit kLimitPrintfFifoSize = 1;
inline constexpr Limit kLimitMallocHeapSize = 2;
inline constexpr Limit kLimitMaxL2FetchGranularity = 5;
inline constexpr Limit kLimitPersistingL2CacheSize = 6;

// CUfunction_attribute: CU_FUNC_ATTRIBUTE_...
inline constexpr FunctionAttribute kFunctionMaxThreadsPerBlock = 0;
inline constexpr FunctionAttribute kFunctionSharedSizeBytes = 1;
inline constexpr FunctionAttribute kFunctionConstSizeBytes = 2;
inline constexpr FunctionAttribute kFunctionLocalSizeBytes = 3;
inline constexpr FunctionAttribute kFunctionNumRegs = 4;
inline constexpr FunctionAttribute kFunctionPtxVersion = 5;
inline constexpr FunctionAttribute kFunctionBinaryVersion = 6;
inline constexpr FunctionAttribute kFunctionCacheModeCa = 7;
inline constexpr FunctionAttribute kFunctionMaxDynamicSharedSizeBytes = 8;
inline constexpr FunctionAttribute kFunctionPreferredSharedMemoryCarveout = 9;
inline constexpr FunctionAttribute kFunctionClusterSizeMustBeSet = 10;
inline constexpr FunctionAttribute kFunctionRequiredClusterWidth = 11;
inline constexpr FunctionAttribute kFunctionRequiredClusterHeight = 12;
inline constexpr FunctionAttribute kFunctionRequiredClusterDepth = 13;
inline constexpr FunctionAttribute kFunctionNonPortableClusterSizeAllowed = 14;
inline constexpr FunctionAttribute kFunctionClusterSchedulingPolicyPreference = 15;

// CUpointer_attribute: CU_POINTER_ATTRIBUTE_...
using PointerAttribute = int;
inline constexpr PointerAttribute kPointerContext = 1;
inline constexpr PointerAttribute kPointerMemoryType = 2;
inline constexpr PointerAttribute kPointerDevicePointer = 3;
inline constexpr PointerAttribute kPointerHostPointer = 4;
inline constexpr PointerAttribute kPointerSyncMemops = 6;
inline constexpr PointerAttribute kPointerBufferId = 7;
inline constexpr PointerAttribute kPointerIsManaged = 8;
inline constexpr PointerAttribute kPointerDeviceOrdinal = 9;
inline constexpr PointerAttribute kPointerIsLegacyIpcCapable = 10;
inline constexpr PointerAttribute kPointerRangeStartAddress = 11;
inline constexpr PointerAttribute kPointerRangeSize = 12;
inline constexpr PointerAttribute kPointerMapped = 13;
inline constexpr PointerAttribute kPointerAllowedHandleTypes = 14;
inline constexpr PointerAttribute kPointerIsGpuDirectRdmaCapable = 15;
inline constexpr PointerAttribute kPointerAccessFlags = 16;
inline constexpr PointerAttribute kPointerMempoolHandle = 17;

using MemoryType = int;  // CUmemorytype: CU_MEMORYTYPE_...
inline constexpr MemoryType kMemoryHost = 1;
inline constexpr MemoryType kMemoryDevice = 2;
inline constexpr MemoryType kMemoryUnified = 4;

// Flags of host memory: CU_MEMHOSTALLOC_..., CU_MEMHOSTREGISTER_...
inline constexpr unsigned kHostPortable = 1;
inline constexpr unsigned kHostDeviceMap = 2;
inline constexpr unsigned kHostWriteCombined = 4;
inline constexpr unsigned kHostIoMemory = 4;
inline constexpr unsigned kHostReadOnly = 8;

// Flags of managed memory: CU_MEM_ATTACH_...
inline constexpr unsigned kAttachGlobal = 1;
inline constexpr unsigned kAttachHost = 2;
inline constexpr unsigned kAttachSingle = 4;

struct MemoryLocation {  // CUmemLocation
  int type;
  int id;
};
inline constexpr int kLocationDevice = 1;  // CU_MEM_LOCATION_TYPE_DEVICE

struct MemoryProperties {  // CUmemAllocationProp
  int type;
  int requested_handle_types;
  MemoryLocation location;
  void* win32_handle_metadata;
  unsigned char compression_type;
  unsigned char gpu_direct_rdma_capable;
  unsigned short usage;
  unsigned char reserved[4];
};
inline constexpr int kAllocationPinned = 1;  // CU_MEM_ALLOCATION_TYPE_PINNED
inline constexpr int kHandleNone = 0;        // CU_MEM_HANDLE_TYPE_NONE

struct MemoryAccess {  // CUmemAccessDesc
  MemoryLocation location;
  int flags;
};
inline constexpr int kAccessNone = 0;       // CU_MEM_ACCESS_FLAGS_PROT_NONE
inline constexpr int kAccessRead = 1;       // CU_MEM_ACCESS_FLAGS_PROT_READ
inline constexpr int kAccessReadWrite = 3;  // CU_MEM_ACCESS_FLAGS_PROT_READWRITE

struct PoolProperties {  // CUmemPoolProps
  int type;
  int handle_types;
  MemoryLocation location;
  void* win32_security_attributes;
  std::size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};

using PoolAttribute = int;  // CUmemPool_attribute: CU_MEMPOOL_ATTR_...
inline constexpr PoolAttribute kPoolReuseFollowEventDependencies = 1;
inline constexpr PoolAttribute kPoolReuseAllowOpportunistic = 2;
inline constexpr PoolAttribute kPoolReuseAllowInternalDependencies = 3;
inline constexpr PoolAttribute kPoolReleaseThreshold = 4;
inline constexpr PoolAttribute kPoolReservedMemCurrent = 5;
inline constexpr PoolAttribute kPoolReservedMemHigh = 6;
inline constexpr PoolAttribute kPoolUsedMemCurrent = 7;
inline constexpr PoolAttribute kPoolUsedMemHigh = 8;

struct CopyEnd2d {   // source or destination of CUDA_MEMCPY2D
  std::size_t x, y;  // bytes, rows
  MemoryType type;
  void* host;
  DevicePointer device;
  Array array;
  std::size_t pitch;
};
struct Copy2d {  // CUDA_MEMCPY2D
  CopyEnd2d source, destination;
  std::size_t width, height;  // bytes, rows
};

struct CopyEnd3d {  // source or destination of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER
  std::size_t x, y, z, level;
  MemoryType type;
  void* host;
  DevicePointer device;
  Array array;
  Context context;  // CUDA_MEMCPY3D: reserved
  std::size_t pitch, height;
};
struct Copy3d {  // CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER
  CopyEnd3d source, destination;
  std::size_t width, height, depth;
};

using LaunchAttributeId = int;  // CUlaunchAttributeID: CU_LAUNCH_ATTRIBUTE_...
inline constexpr LaunchAttributeId kLaunchIgnore = 0;
inline constexpr LaunchAttributeId kLaunchAccessPolicyWindow = 1;
inline constexpr LaunchAttributeId kLaunchCooperative = 2;
inline constexpr LaunchAttributeId kLaunchSynchronizationPolicy = 3;
inline constexpr LaunchAttributeId kLaunchClusterDimension = 4;
inline constexpr LaunchAttributeId kLaunchClusterSchedulingPolicyPreference = 5;
inline constexpr LaunchAttributeId kLaunchProgrammaticStreamSerialization = 6;
inline constexpr LaunchAttributeId kLaunchProgrammaticEvent = 7;
inline constexpr LaunchAttributeId kLaunchPriority = 8;
inline constexpr LaunchAttributeId kLaunchMemSyncDomainMap = 9;
inline constexpr LaunchAttributeId kLaunchMemSyncDomain = 10;
inline constexpr LaunchAttributeId kLaunchPreferredClusterDimension = 11;
inline constexpr LaunchAttributeId kLaunchCompletionEvent = 12;
inline constexpr LaunchAttributeId kLaunchDeviceUpdatableKernelNode = 13;
inline constexpr LaunchAttributeId kLaunchPreferredSharedMemoryCarveout = 14;

union LaunchAttributeValue {  // CUlaunchAttributeValue
  char pad[64];
  int number;             // cooperative, priority, programmatic stream serialization
  unsigned dimension[3];  // of a cluster
  struct {
    Event event;
    int flags;
    int trigger_at_block_start;
  } event;
};
struct LaunchAttribute {  // CUlaunchAttribute
  LaunchAttributeId id;
  char pad[4];
  LaunchAttributeValue value;
};

// Markers in `extra`: CU_LAUNCH_PARAM_...
inline constexpr std::uintptr_t kLaunchParamEnd = 0;
inline constexpr std::uintptr_t kLaunchParamBufferPointer = 1;
inline constexpr std::uintptr_t kLaunchParamBufferSize = 2;

using GraphNodeType = int;  // CUgraphNodeType: CU_GRAPH_NODE_TYPE_...
inline constexpr GraphNodeType kNodeKernel = 0;
inline constexpr GraphNodeType kNodeMemcpy = 1;
inline constexpr GraphNodeType kNodeMemset = 2;
inline constexpr GraphNodeType kNodeHost = 3;
inline constexpr GraphNodeType kNodeGraph = 4;
inline constexpr GraphNodeType kNodeEmpty = 5;
inline constexpr GraphNodeType kNodeWaitEvent = 6;
inline constexpr GraphNodeType kNodeEventRecord = 7;

struct KernelNodeParametersV1 {  // CUDA_KERNEL_NODE_PARAMS_v1
  Function function;
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  void** parameters;
  void** extra;
};
struct KernelNodeParameters {  // CUDA_KERNEL_NODE_PARAMS_v2
  KernelNodeParametersV1 launch;
  Kernel kernel;  // where there is no function
  Context context;
};
struct MemsetNodeParameters {  // CUDA_MEMSET_NODE_PARAMS
  DevicePointer destination;
  std::size_t pitch;
  unsigned value;
  unsigned element_size;
  std::size_t width, height;  // elements, rows
  // CUDA_MEMSET_NODE_PARAMS_v2 ends with a context.
};
struct HostNodeParameters {  // CUDA_HOST_NODE_PARAMS
  HostFunction function;
  void* data;
};
struct GraphNodeParameters {  // CUgraphNodeParams
  GraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParameters kernel;
    struct {  // CUDA_MEMCPY_NODE_PARAMS
      int flags;
      int reserved;
      Context context;
      Copy3d copy;
    } memcpy;
    struct {  // CUDA_MEMSET_NODE_PARAMS_v2
      MemsetNodeParameters parameters;
      Context context;
    } memset;
    HostNodeParameters host;
    struct {  // CUDA_CHILD_GRAPH_NODE_PARAMS
      Graph graph;
      int ownership;
    } child;
    Event event;  // CUDA_EVENT_WAIT_NODE_PARAMS, CUDA_EVENT_RECORD_NODE_PARAMS
  };
  long long reserved2;
};
struct GraphEdge {  // CUgraphEdgeData
  unsigned char from_port, to_port, type;
  unsigned char reserved[5];
};
struct InstantiateParameters {  // CUDA_GRAPH_INSTANTIATE_PARAMS
  std::uint64_t flags;
  Stream upload_stream;
  GraphNode error_node;
  int result;
};
struct GraphUpdateResult {  // CUgraphExecUpdateResultInfo
  int result;               // CU_GRAPH_EXEC_UPDATE_...
  GraphNode error_node;
  GraphNode error_from_node;
};
inline constexpr int kUpdateSuccess = 0;
inline constexpr int kUpdateTopologyChanged = 2;
inline constexpr int kUpdateNodeTypeChanged = 3;

// CUdriverProcAddress_flags: CU_GET_PROC_ADDRESS_...
inline constexpr std::uint64_t kProcAddressLegacyStream = 1;
inline constexpr std::uint64_t kProcAddressPerThreadStream = 2;
// CUdriverProcAddressQueryResult: CU_GET_PROC_ADDRESS_...
inline constexpr int kProcAddressSuccess = 0;
inline constexpr int kProcAddressNotFound = 1;
inline constexpr int kProcAddressVersionNotSufficient = 2;

// CUjitInputType: CU_JIT_INPUT_...
inline constexpr int kJitInputCubin = 0;
inline constexpr int kJitInputPtx = 1;
inline constexpr int kJitInputFatbinary = 2;

}  // namespace egpu::cuda
