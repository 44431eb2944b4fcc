// The part of the CUDA driver API that egpu calls and hooks, declared here so that no toolkit is
// needed. Source of every value and layout: cuda.h of CUDA 13.0, whose names stand in the comments;
// driver_types_test.cc compares them with the header where it is installed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device_attributes.h"
#include "cuda/status.h"

namespace egpu::cuda {

using Context = struct ContextOpaque*;    // CUcontext
using Module = struct ModuleOpaque*;      // CUmodule
using Library = struct LibraryOpaque*;    // CUlibrary
using Kernel = struct KernelOpaque*;      // CUkernel
using Function = struct FunctionOpaque*;  // CUfunction; launches also take a Kernel cast to it
using Stream = struct StreamOpaque*;      // CUstream
using Device = int;                       // CUdevice: the ordinal
using DevicePointer = std::uint64_t;      // CUdeviceptr

struct Uuid {  // CUuuid
  unsigned char bytes[16];
};

// Streams up to this value are the special handles: 0, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD. They
// belong to the current context.
inline constexpr std::uintptr_t kLastSpecialStream = 2;
inline constexpr unsigned kStreamNonBlocking = 1;  // CU_STREAM_NON_BLOCKING

using CaptureMode = int;                           // CUstreamCaptureMode
inline constexpr CaptureMode kCaptureGlobal = 0;   // CU_STREAM_CAPTURE_MODE_GLOBAL
inline constexpr CaptureMode kCaptureRelaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED

using FunctionAttribute = int;                       // CUfunction_attribute
using JitOption = int;                               // CUjit_option
inline constexpr JitOption kJitMaxRegisters = 0;     // CU_JIT_MAX_REGISTERS
inline constexpr JitOption kJitThreadsPerBlock = 1;  // CU_JIT_THREADS_PER_BLOCK
inline constexpr JitOption kJitErrorLog = 5;         // CU_JIT_ERROR_LOG_BUFFER
inline constexpr JitOption kJitErrorLogBytes = 6;    // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
inline constexpr JitOption kJitOptimization = 7;     // CU_JIT_OPTIMIZATION_LEVEL
using LibraryOption = int;                           // CUlibraryOption

struct LaunchConfig {                  // CUlaunchConfig
  unsigned grid_x, grid_y, grid_z;     // blocks
  unsigned block_x, block_y, block_z;  // threads
  unsigned shared_bytes;               // dynamic shared memory per block
  Stream stream;
  void* attributes;  // CUlaunchAttribute*, passed on untouched
  unsigned attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32);

}  // namespace egpu::cuda
