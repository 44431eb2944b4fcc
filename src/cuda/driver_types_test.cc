// Compares our declarations with the toolkit's, where it is installed.
#include "cuda/driver_types.h"

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace egpu::cuda {

static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(LaunchConfig, grid_x) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(LaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(Uuid) == sizeof(CUuuid));
static_assert(sizeof(Status) == sizeof(CUresult) && sizeof(Device) == sizeof(CUdevice));
static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr));
static_assert(sizeof(JitOption) == sizeof(CUjit_option));
static_assert(sizeof(LibraryOption) == sizeof(CUlibraryOption));

TEST(DriverTypes, ValuesAreThoseOfTheToolkitHeader) {
  EXPECT_EQ(kInvalidValue, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(kNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(kDeinitialized, CUDA_ERROR_DEINITIALIZED);
  EXPECT_EQ(kInvalidImage, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(kInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(kFileNotFound, CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(kInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(kNotFound, CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(kNotReady, CUDA_ERROR_NOT_READY);
  EXPECT_EQ(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(kStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_EQ(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  EXPECT_EQ(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(kJitOptimization, CU_JIT_OPTIMIZATION_LEVEL);
  EXPECT_EQ(kStreamNonBlocking, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(kCaptureGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(kCaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  EXPECT_EQ(kComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(kComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(kLastSpecialStream, reinterpret_cast<std::uintptr_t>(CU_STREAM_PER_THREAD));
}

}  // namespace egpu::cuda
#else
TEST(DriverTypes, ValuesAreThoseOfTheToolkitHeader) { GTEST_SKIP() << "cuda.h is not installed"; }
#endif
