#include <sys/mman.h>

#include <numeric>

#include "emu/driver/test_driver.h"

namespace egpu::emu::driver {
namespace {

using testing::Each;
using testing::ElementsAre;

using DriverMemory = DriverTest;

TEST_F(DriverMemory, IsCopiedThereAndBack) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const DevicePointer first = upload(values);
  const DevicePointer second = allocate(4000);
  EXPECT_OK(cuMemcpyDtoD_v2(second, first, 4000));
  EXPECT_EQ(download<int>(second, 1000), values);
  EXPECT_OK(cuMemcpy(first, second + 4, 4));
  EXPECT_EQ(download<int>(first, 1).front(), 1);
  EXPECT_OK(cuMemFree_v2(first));
  EXPECT_OK(cuMemFree_v2(second));
}

TEST_F(DriverMemory, OutsideAllocationsIsRefused) {
  const DevicePointer memory = allocate(100);
  char bytes[200] = {};
  EXPECT_STATUS(cuMemcpyHtoD_v2(memory, bytes, 200), cuda::kInvalidValue);
  EXPECT_STATUS(cuMemcpyDtoH_v2(bytes, 0x1234, 1), cuda::kInvalidValue);
  EXPECT_STATUS(cuMemsetD8_v2(memory + 50, 0, 51), cuda::kInvalidValue);
  EXPECT_OK(cuMemsetD8_v2(memory + 50, 0, 50));
  EXPECT_OK(cuMemFree_v2(memory));
  EXPECT_STATUS(cuMemFree_v2(memory), cuda::kInvalidValue);
  EXPECT_STATUS(cuMemcpyHtoD_v2(memory, bytes, 1), cuda::kInvalidValue);
  EXPECT_OK(cuMemFree_v2(0));
  DevicePointer none = 0;
  EXPECT_STATUS(cuMemAlloc_v2(&none, 0), cuda::kInvalidValue);
}

TEST_F(DriverMemory, RunsOut) {
  std::size_t free = 0;
  std::size_t total = 0;
  ASSERT_OK(cuMemGetInfo_v2(&free, &total));
  DevicePointer memory = 0;
  EXPECT_STATUS(cuMemAlloc_v2(&memory, total + 1), cuda::kOutOfMemory);
  EXPECT_OK(cuMemAlloc_v2(&memory, free / 2));
  DevicePointer more = 0;
  EXPECT_STATUS(cuMemAlloc_v2(&more, free / 2 + (1 << 20)), cuda::kOutOfMemory);
  EXPECT_OK(cuMemFree_v2(memory));
}

TEST_F(DriverMemory, IsFilled) {
  const DevicePointer memory = allocate(64);
  EXPECT_OK(cuMemsetD32_v2(memory, 0x01020304, 16));
  EXPECT_THAT(download<unsigned>(memory, 16), Each(0x01020304U));
  EXPECT_OK(cuMemsetD16_v2(memory, 0xabcd, 2));
  EXPECT_OK(cuMemsetD8_v2(memory + 4, 0xff, 1));
  EXPECT_THAT(download<unsigned>(memory, 3), ElementsAre(0xabcdabcdU, 0x010203ffU, 0x01020304U));
  EXPECT_STATUS(cuMemsetD32_v2(memory + 2, 0, 1), cuda::kInvalidValue);
}

TEST_F(DriverMemory, IsFilledAndCopiedInRows) {
  DevicePointer memory = 0;
  std::size_t pitch = 0;
  ASSERT_OK(cuMemAllocPitch_v2(&memory, &pitch, 12, 3, 4));
  EXPECT_GE(pitch, 12U);
  EXPECT_EQ(pitch % 512, 0U);
  EXPECT_OK(cuMemsetD2D32_v2(memory, pitch, 7, 3, 3));
  EXPECT_OK(cuMemsetD2D32_v2(memory + pitch, pitch, 9, 2, 1));
  unsigned rows[3][4] = {};
  cuda::Copy2d copy{};
  copy.source.type = cuda::kMemoryDevice;
  copy.source.device = memory;
  copy.source.pitch = pitch;
  copy.destination.type = cuda::kMemoryHost;
  copy.destination.host = rows;
  copy.destination.pitch = sizeof rows[0];
  copy.destination.x = 4;
  copy.width = 12;
  copy.height = 3;
  EXPECT_OK(cuMemcpy2D_v2(&copy));
  EXPECT_THAT(rows[0], ElementsAre(0, 7, 7, 7));
  EXPECT_THAT(rows[1], ElementsAre(0, 9, 9, 7));
  EXPECT_THAT(rows[2], ElementsAre(0, 7, 7, 7));
  copy.destination.pitch = 8;
  EXPECT_STATUS(cuMemcpy2D_v2(&copy), cuda::kInvalidValue);
}

TEST_F(DriverMemory, IsCopiedInSlices) {
  std::vector<char> values(24);  // two slices of three rows of four
  std::iota(values.begin(), values.end(), 'a');
  const DevicePointer memory = upload(values);
  char out[2][2] = {};
  cuda::Copy3d copy{};
  copy.source.type = cuda::kMemoryDevice;
  copy.source.device = memory;
  copy.source.pitch = 4;
  copy.source.height = 3;
  copy.source.x = 1;
  copy.source.y = 2;
  copy.destination.type = cuda::kMemoryHost;
  copy.destination.host = out;
  copy.width = 2;
  copy.height = 1;
  copy.depth = 2;
  EXPECT_OK(cuMemcpy3D_v2(&copy));
  EXPECT_EQ(std::string(out[0], 2), "jk");  // row 2 of slice 0
  EXPECT_EQ(std::string(out[1], 2), "vw");  // of slice 1
}

TEST_F(DriverMemory, OfTheHostIsKnownWhenTheDriverGaveIt) {
  void* pointer = nullptr;
  ASSERT_OK(cuMemHostAlloc(&pointer, 4096, cuda::kHostDeviceMap));
  DevicePointer device = 0;
  EXPECT_OK(cuMemHostGetDevicePointer_v2(&device, pointer, 0));
  EXPECT_OK(cuMemsetD8_v2(device, 0x5a, 4096));
  EXPECT_EQ(static_cast<unsigned char*>(pointer)[4095], 0x5a);
  unsigned flags = 0;
  EXPECT_OK(cuMemHostGetFlags(&flags, pointer));
  EXPECT_EQ(flags, cuda::kHostDeviceMap);
  EXPECT_STATUS(cuMemFree_v2(device), cuda::kInvalidValue);
  EXPECT_OK(cuMemFreeHost(pointer));
  EXPECT_STATUS(cuMemFreeHost(pointer), cuda::kInvalidValue);
}

TEST_F(DriverMemory, OfTheHostCanBeRegistered) {
  std::vector<int> memory(100, 1);
  EXPECT_STATUS(cuMemHostUnregister(memory.data()), cuda::kHostMemoryNotRegistered);
  ASSERT_OK(cuMemHostRegister_v2(memory.data(), 400, 0));
  EXPECT_STATUS(cuMemHostRegister_v2(memory.data() + 50, 400, 0),
                cuda::kHostMemoryAlreadyRegistered);
  EXPECT_OK(cuMemsetD32_v2(reinterpret_cast<DevicePointer>(memory.data()), 3, 100));
  EXPECT_THAT(memory, Each(3));
  EXPECT_OK(cuMemHostUnregister(memory.data()));
}

TEST_F(DriverMemory, CanBeAskedAbout) {
  const DevicePointer memory = allocate(256);
  int type = 0;
  EXPECT_OK(cuPointerGetAttribute(&type, cuda::kPointerMemoryType, memory + 10));
  EXPECT_EQ(type, cuda::kMemoryDevice);
  cuda::Context context = nullptr;
  EXPECT_OK(cuPointerGetAttribute(static_cast<void*>(&context), cuda::kPointerContext, memory));
  EXPECT_EQ(context, context_);
  const unsigned sync = 1;
  EXPECT_OK(cuPointerSetAttribute(&sync, cuda::kPointerSyncMemops, memory));
  EXPECT_STATUS(cuPointerSetAttribute(&sync, cuda::kPointerContext, memory), cuda::kInvalidValue);
  DevicePointer start = 0;
  std::size_t size = 0;
  EXPECT_OK(cuMemGetAddressRange_v2(&start, &size, memory + 255));
  EXPECT_EQ(start, memory);
  EXPECT_EQ(size, 256U);
  EXPECT_STATUS(cuMemGetAddressRange_v2(&start, &size, memory + 256), cuda::kNotFound);

  int ordinary = 0;
  const auto address = reinterpret_cast<DevicePointer>(&ordinary);
  EXPECT_STATUS(cuPointerGetAttribute(&type, cuda::kPointerMemoryType, address),
                cuda::kInvalidValue);
  cuda::PointerAttribute attributes[] = {cuda::kPointerMemoryType, cuda::kPointerDeviceOrdinal};
  int ordinal = 0;
  void* answers[] = {&type, &ordinal};
  EXPECT_OK(cuPointerGetAttributes(2, attributes, answers, address));
  EXPECT_EQ(type, 0);
  EXPECT_EQ(ordinal, -2);
}

TEST_F(DriverMemory, CanBeManaged) {
  DevicePointer memory = 0;
  ASSERT_OK(cuMemAllocManaged(&memory, 64, cuda::kAttachGlobal));
  auto* values = static_cast<int*>(as_pointer(memory));
  values[3] = 5;
  EXPECT_EQ(download<int>(memory, 4)[3], 5);
  int managed = 0;
  EXPECT_OK(cuPointerGetAttribute(&managed, cuda::kPointerIsManaged, memory));
  EXPECT_EQ(managed, 1);
  EXPECT_OK(cuMemPrefetchAsync(memory, 64, 0, nullptr));
  EXPECT_STATUS(cuMemPrefetchAsync(memory, 65, 0, nullptr), cuda::kInvalidValue);
  EXPECT_STATUS(cuMemPrefetchAsync(memory, 64, 9, nullptr), cuda::kInvalidDevice);
  EXPECT_OK(cuMemAdvise(memory, 64, 1, 0));
  const cuda::MemoryLocation here{.type = cuda::kLocationDevice, .id = 1};
  const cuda::MemoryLocation nowhere{.type = cuda::kLocationDevice, .id = 9};
  EXPECT_OK(cuMemPrefetchAsync_v2(memory, 64, here, 0, nullptr));
  EXPECT_STATUS(cuMemPrefetchAsync_v2(memory, 64, nowhere, 0, nullptr), cuda::kInvalidDevice);
  EXPECT_OK(cuMemAdvise_v2(memory, 64, 1, here));
  EXPECT_STATUS(cuMemAdvise_v2(memory, 64, 7, here), cuda::kInvalidValue);
  EXPECT_OK(cuStreamAttachMemAsync(nullptr, memory, 0, cuda::kAttachGlobal));
  EXPECT_STATUS(cuStreamAttachMemAsync(nullptr, allocate(4), 0, cuda::kAttachGlobal),
                cuda::kInvalidValue);
  EXPECT_OK(cuMemFree_v2(memory));
  EXPECT_STATUS(cuMemAllocManaged(&memory, 64, 0), cuda::kInvalidValue);
}

TEST_F(DriverMemory, IsAllocatedAndFreedInStreams) {
  cuda::MemoryPool pool = nullptr;
  ASSERT_OK(cuDeviceGetDefaultMemPool(&pool, 0));
  const auto used = [&] {
    std::uint64_t bytes = 0;
    EXPECT_OK(cuMemPoolGetAttribute(pool, cuda::kPoolUsedMemCurrent, &bytes));
    return bytes;
  };
  cuda::Stream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, cuda::kStreamNonBlocking));
  DevicePointer memory = 0;
  ASSERT_OK(cuMemAllocAsync(&memory, 1024, stream));
  EXPECT_OK(cuMemsetD8Async(memory, 1, 1024, stream));
  EXPECT_EQ(used(), 1024U);
  EXPECT_OK(cuMemFreeAsync(memory, stream));
  EXPECT_STATUS(cuMemFreeAsync(memory, stream), cuda::kInvalidValue);
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_EQ(used(), 0U);
  EXPECT_OK(cuStreamDestroy_v2(stream));
}

TEST_F(DriverMemory, ComesFromPoolsOfTheApplication) {
  cuda::PoolProperties properties{};
  properties.type = cuda::kAllocationPinned;
  properties.location = {.type = cuda::kLocationDevice, .id = 0};
  properties.max_size = 4096;
  cuda::MemoryPool pool = nullptr;
  ASSERT_OK(cuMemPoolCreate(&pool, &properties));
  DevicePointer memory = 0;
  EXPECT_STATUS(cuMemAllocFromPoolAsync(&memory, 8192, pool, nullptr), cuda::kOutOfMemory);
  ASSERT_OK(cuMemAllocFromPoolAsync(&memory, 4096, pool, nullptr));
  cuda::MemoryPool of_memory = nullptr;
  EXPECT_OK(
      cuPointerGetAttribute(static_cast<void*>(&of_memory), cuda::kPointerMempoolHandle, memory));
  EXPECT_EQ(of_memory, pool);
  EXPECT_OK(cuDeviceSetMemPool(0, pool));
  cuda::MemoryPool current = nullptr;
  EXPECT_OK(cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, pool);
  EXPECT_OK(cuMemFree_v2(memory));
  cuda::MemoryLocation peer{.type = cuda::kLocationDevice, .id = 1};
  const cuda::MemoryAccess access{.location = peer, .flags = cuda::kAccessReadWrite};
  int flags = -1;
  EXPECT_OK(cuMemPoolGetAccess(&flags, pool, &peer));
  EXPECT_EQ(flags, cuda::kAccessNone);
  EXPECT_OK(cuMemPoolSetAccess(pool, &access, 1));
  EXPECT_OK(cuMemPoolGetAccess(&flags, pool, &peer));
  EXPECT_EQ(flags, cuda::kAccessReadWrite);
  std::uint64_t threshold = 77;
  EXPECT_OK(cuMemPoolSetAttribute(pool, cuda::kPoolReleaseThreshold, &threshold));
  threshold = 0;
  EXPECT_OK(cuMemPoolGetAttribute(pool, cuda::kPoolReleaseThreshold, &threshold));
  EXPECT_EQ(threshold, 77U);
  EXPECT_OK(cuMemPoolTrimTo(pool, 0));
  EXPECT_OK(cuMemPoolDestroy(pool));
  EXPECT_OK(cuDeviceGetMemPool(&current, 0));
  EXPECT_NE(current, pool);
  EXPECT_STATUS(cuMemPoolDestroy(current), cuda::kInvalidValue);  // the device's own
}

TEST_F(DriverMemory, IsMappedToReservedAddresses) {
  constexpr std::size_t kBytes = 2 << 20;
  cuda::MemoryProperties properties{};
  properties.type = cuda::kAllocationPinned;
  properties.location = {.type = cuda::kLocationDevice, .id = 0};
  std::size_t granularity = 0;
  ASSERT_OK(cuMemGetAllocationGranularity(&granularity, &properties, 0));
  ASSERT_EQ(granularity, kBytes);
  DevicePointer address = 0;
  ASSERT_OK(cuMemAddressReserve(&address, 2 * kBytes, 0, 0, 0));
  cuda::PhysicalMemory memory = 0;
  ASSERT_OK(cuMemCreate(&memory, kBytes, &properties, 0));
  cuda::MemoryProperties read{};
  EXPECT_OK(cuMemGetAllocationPropertiesFromHandle(&read, memory));
  EXPECT_EQ(read.location.type, cuda::kLocationDevice);
  EXPECT_STATUS(cuMemCreate(&memory, kBytes - 1, &properties, 0), cuda::kInvalidValue);
  ASSERT_OK(cuMemMap(address, kBytes, 0, memory, 0));
  ASSERT_OK(cuMemMap(address + kBytes, kBytes, 0, memory, 0));  // the same once more
  EXPECT_STATUS(cuMemMap(address, kBytes, 0, memory, 0), cuda::kInvalidValue);
  EXPECT_STATUS(cuMemsetD8_v2(address, 1, 8), cuda::kInvalidValue);  // no access yet
  const cuda::MemoryAccess access{.location = {.type = cuda::kLocationDevice, .id = 0},
                                  .flags = cuda::kAccessReadWrite};
  ASSERT_OK(cuMemSetAccess(address, 2 * kBytes, &access, 1));
  unsigned long long flags = 0;
  EXPECT_OK(cuMemGetAccess(&flags, &access.location, address + kBytes + 5));
  EXPECT_EQ(flags, 3U);
  EXPECT_OK(cuMemsetD8_v2(address + kBytes - 4, 9, 8));  // over both
  EXPECT_THAT(download<char>(address, 4), Each(9));
  cuda::PhysicalMemory retained = 0;
  EXPECT_OK(cuMemRetainAllocationHandle(&retained, as_pointer(address + 7)));
  EXPECT_EQ(retained, memory);
  EXPECT_OK(cuMemRelease(memory));
  EXPECT_OK(cuMemRelease(memory));
  EXPECT_STATUS(cuMemRelease(memory), cuda::kInvalidValue);
  EXPECT_STATUS(cuMemAddressFree(address, 2 * kBytes), cuda::kInvalidValue);  // still mapped
  EXPECT_OK(cuMemUnmap(address, 2 * kBytes));
  EXPECT_STATUS(cuMemsetD8_v2(address, 1, 8), cuda::kInvalidValue);
  EXPECT_OK(cuMemAddressFree(address, 2 * kBytes));
}

TEST_F(DriverMemory, OfPeersIsCopiedBetweenContexts) {
  const DevicePointer here = upload(std::vector{1, 2, 3});
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 1));
  const DevicePointer there = allocate(12);
  EXPECT_OK(cuMemcpyPeer(there, other, here, context_, 12));
  EXPECT_THAT(download<int>(there, 3), ElementsAre(1, 2, 3));
  int can = 0;
  EXPECT_OK(cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  EXPECT_STATUS(cuCtxEnablePeerAccess(other, 0), cuda::kPeerAccessUnsupported);  // itself
  EXPECT_OK(cuCtxEnablePeerAccess(context_, 0));
  EXPECT_STATUS(cuCtxEnablePeerAccess(context_, 0), cuda::kPeerAccessAlreadyEnabled);
  EXPECT_OK(cuCtxDisablePeerAccess(context_));
  EXPECT_STATUS(cuCtxDisablePeerAccess(context_), cuda::kPeerAccessNotEnabled);
  EXPECT_OK(cuCtxDestroy_v2(other));
}

}  // namespace
}  // namespace egpu::emu::driver
