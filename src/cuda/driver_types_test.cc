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

TEST(DriverTypes, StatusesAreThoseOfTheToolkitHeader) {
#define EGPU_COMPARE(constant, value, name, description) \
  EXPECT_EQ(constant, static_cast<int>(CUDA_##name)) << #name;
  EGPU_CUDA_STATUSES(EGPU_COMPARE)
#undef EGPU_COMPARE
}

TEST(DriverTypes, DeviceAttributesAreThoseOfTheToolkitHeader) {
#define EGPU_COMPARE(constant, name, number) \
  EXPECT_EQ(constant, static_cast<int>(CU_DEVICE_ATTRIBUTE_##name)) << #name;
  EGPU_DEVICE_ATTRIBUTES(EGPU_COMPARE)
#undef EGPU_COMPARE
}

TEST(DriverTypes, ValuesAreThoseOfTheToolkitHeader) {
  EXPECT_EQ(kJitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(kJitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(kJitOptimization, CU_JIT_OPTIMIZATION_LEVEL);
  EXPECT_EQ(kStreamNonBlocking, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(kCaptureGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(kCaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(kLastSpecialStream, reinterpret_cast<std::uintptr_t>(CU_STREAM_PER_THREAD));
}

}  // namespace egpu::cuda
#else
TEST(DriverTypes, ValuesAreThoseOfTheToolkitHeader) { GTEST_SKIP() << "cuda.h is not installed"; }
#endif
