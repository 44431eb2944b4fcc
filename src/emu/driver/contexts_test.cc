#include "emu/driver/test_driver.h"

namespace egpu::emu::driver {
namespace {

using Contexts = DriverTest;

cuda::Context current() {
  cuda::Context context = nullptr;
  EXPECT_OK(cuCtxGetCurrent(&context));
  return context;
}

TEST_F(Contexts, AreStackedInEachThread) {
  EXPECT_EQ(current(), context_);
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 1));
  EXPECT_EQ(current(), other);
  cuda::Device device = -1;
  EXPECT_OK(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 1);
  std::thread([] { EXPECT_EQ(current(), nullptr); }).join();
  cuda::Context popped = nullptr;
  EXPECT_OK(cuCtxPopCurrent_v2(&popped));
  EXPECT_EQ(popped, other);
  EXPECT_EQ(current(), context_);
  EXPECT_OK(cuCtxPushCurrent_v2(other));
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_EQ(current(), context_);
}

TEST_F(Contexts, AreNeededByMostCalls) {
  EXPECT_OK(cuCtxSetCurrent(nullptr));
  DevicePointer memory = 0;
  EXPECT_STATUS(cuMemAlloc_v2(&memory, 16), cuda::kInvalidContext);
  EXPECT_STATUS(cuCtxSynchronize(), cuda::kInvalidContext);
  EXPECT_STATUS(cuCtxPopCurrent_v2(nullptr), cuda::kInvalidContext);
  EXPECT_OK(cuCtxPushCurrent_v2(context_));
}

TEST_F(Contexts, CannotBeUsedWhenTheyAreDestroyed) {
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  std::thread([&] {
    EXPECT_OK(cuCtxSetCurrent(other));
    std::thread([&] { EXPECT_OK(cuCtxDestroy_v2(other)); }).join();
    DevicePointer memory = 0;
    EXPECT_STATUS(cuMemAlloc_v2(&memory, 16), cuda::kContextIsDestroyed);
  }).join();
  EXPECT_STATUS(cuCtxPushCurrent_v2(other), cuda::kContextIsDestroyed);
  EXPECT_STATUS(cuCtxDestroy_v2(other), cuda::kContextIsDestroyed);
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  int none = 0;
  EXPECT_STATUS(cuCtxPushCurrent_v2(reinterpret_cast<cuda::Context>(&none)), cuda::kInvalidContext);
}

TEST_F(Contexts, GiveTheirMemoryBack) {
  std::size_t before = 0;
  std::size_t total = 0;
  ASSERT_OK(cuMemGetInfo_v2(&before, &total));
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  allocate(1 << 20);
  std::size_t during = 0;
  ASSERT_OK(cuMemGetInfo_v2(&during, &total));
  EXPECT_LE(during, before - (1 << 20));
  ASSERT_OK(cuCtxDestroy_v2(other));
  std::size_t after = 0;
  ASSERT_OK(cuMemGetInfo_v2(&after, &total));
  EXPECT_EQ(after, before);
}

TEST_F(Contexts, PrimaryOnesAreCounted) {
  unsigned flags = 7;
  int active = -1;
  EXPECT_OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT_EQ(active, 0);
  cuda::Context first = nullptr;
  cuda::Context second = nullptr;
  ASSERT_OK(cuDevicePrimaryCtxRetain(&first, 1));
  ASSERT_OK(cuDevicePrimaryCtxRetain(&second, 1));
  EXPECT_EQ(first, second);
  EXPECT_STATUS(cuCtxDestroy_v2(first), cuda::kInvalidContext);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(1));
  EXPECT_OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(1));
  EXPECT_OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT_EQ(active, 0);
  EXPECT_STATUS(cuDevicePrimaryCtxRelease_v2(1), cuda::kInvalidContext);
  EXPECT_STATUS(cuCtxPushCurrent_v2(first), cuda::kContextIsDestroyed);
}

TEST_F(Contexts, ResetPrimaryOnesBeginAnew) {
  cuda::Context primary = nullptr;
  ASSERT_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  ASSERT_OK(cuCtxPushCurrent_v2(primary));
  const DevicePointer memory = allocate(64);
  cuda::Stream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, 0));
  EXPECT_OK(cuDevicePrimaryCtxReset_v2(0));
  EXPECT_STATUS(cuMemFree_v2(memory), cuda::kInvalidValue);
  EXPECT_STATUS(cuStreamQuery(stream), cuda::kInvalidHandle);
  EXPECT_OK(cuMemFree_v2(allocate(64)));
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_OK(cuDevicePrimaryCtxRelease_v2(0));
}

TEST_F(Contexts, KeepTheirSettings) {
  std::size_t value = 0;
  EXPECT_OK(cuCtxGetLimit(&value, cuda::kLimitStackSize));
  EXPECT_EQ(value, 1024U);
  EXPECT_OK(cuCtxSetLimit(cuda::kLimitStackSize, 4096));
  EXPECT_OK(cuCtxGetLimit(&value, cuda::kLimitStackSize));
  EXPECT_EQ(value, 4096U);
  EXPECT_STATUS(cuCtxSetLimit(99, 1), cuda::kUnsupportedLimit);
  EXPECT_OK(cuCtxSetCacheConfig(2));
  int config = 0;
  EXPECT_OK(cuCtxGetCacheConfig(&config));
  EXPECT_EQ(config, 2);
  int least = 1;
  int greatest = 1;
  EXPECT_OK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(least, 0);
  EXPECT_LT(greatest, 0);
  cuda::Context bad = nullptr;
  EXPECT_STATUS(cuCtxCreate_v2(&bad, 3, 0), cuda::kInvalidValue);
}

TEST_F(Contexts, TellWhoTheyAre) {
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 1));
  unsigned long long first = 0;
  unsigned long long second = 0;
  EXPECT_OK(cuCtxGetId(context_, &first));
  EXPECT_OK(cuCtxGetId(other, &second));
  EXPECT_NE(first, second);
  cuda::Device device = -1;
  EXPECT_OK(cuCtxGetDevice_v2(&device, context_));
  EXPECT_EQ(device, 0);
  unsigned version = 0;
  EXPECT_OK(cuCtxGetApiVersion(other, &version));
  EXPECT_EQ(version, 3020U);
  EXPECT_OK(cuCtxSynchronize_v2(context_));
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_STATUS(cuCtxGetId(other, &second), cuda::kContextIsDestroyed);
}

TEST_F(Contexts, HaveFlags) {
  constexpr unsigned kBlockingSync = 4;  // CU_CTX_SCHED_BLOCKING_SYNC
  unsigned flags = 1;
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, 0U);
  EXPECT_OK(cuCtxSetFlags(kBlockingSync));
  EXPECT_OK(cuCtxGetFlags(&flags));
  EXPECT_EQ(flags, kBlockingSync);
  EXPECT_STATUS(cuCtxSetFlags(3), cuda::kInvalidValue);
  EXPECT_OK(cuDevicePrimaryCtxSetFlags_v2(1, kBlockingSync));
  int active = -1;
  EXPECT_OK(cuDevicePrimaryCtxGetState(1, &flags, &active));
  EXPECT_EQ(flags, kBlockingSync);
  EXPECT_OK(cuDevicePrimaryCtxSetFlags_v2(1, 0));
}

// They change no result here: that they are taken is all.
TEST_F(Contexts, TakeWhatHasNoEffect) {
  EXPECT_OK(cuCtxSetSharedMemConfig(2));
  int config = 0;
  EXPECT_OK(cuCtxGetSharedMemConfig(&config));
  EXPECT_EQ(config, 2);
  EXPECT_OK(cuCtxResetPersistingL2Cache());
  EXPECT_OK(cuProfilerStart());
  EXPECT_OK(cuProfilerStop());
}

}  // namespace
}  // namespace egpu::emu::driver
