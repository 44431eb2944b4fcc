// Copies and fills: rows, slices, peers, and in the order of a stream.
#include <numeric>

#include "emu/driver/test_driver.h"

namespace egpu::emu::driver {
namespace {

using testing::ElementsAre;

class Copies : public DriverTest {
 protected:
  void SetUp() override {
    DriverTest::SetUp();
    ASSERT_OK(cuStreamCreate(&stream_, cuda::kStreamNonBlocking));
    ASSERT_OK(cuMemAllocHost_v2(&pinned_, 64));
    std::memset(pinned_, 0, 64);
  }
  void TearDown() override {
    EXPECT_OK(cuMemFreeHost(pinned_));
    DriverTest::TearDown();
  }
  [[nodiscard]] unsigned* words() const { return static_cast<unsigned*>(pinned_); }

  cuda::Stream stream_ = nullptr;
  void* pinned_ = nullptr;
};

// Each call would give another result if it were made before the ones ahead of it.
TEST_F(Copies, WaitForTheirTurn) {
  const DevicePointer first = allocate(16);
  const DevicePointer second = allocate(16);
  const DevicePointer third = allocate(16);
  {
    const Gate gate(stream_);
    EXPECT_OK(cuMemsetD8Async(first, 0x11, 16, stream_));
    EXPECT_OK(cuMemsetD16Async(first, 0x2222, 4, stream_));
    EXPECT_OK(cuMemsetD32Async(first, 0x33333333, 1, stream_));
    EXPECT_OK(cuMemcpyDtoDAsync_v2(second, first, 16, stream_));
    EXPECT_OK(cuMemcpyAsync(third, second, 16, stream_));
    EXPECT_OK(cuMemcpyDtoHAsync_v2(pinned_, third, 16, stream_));
    EXPECT_STATUS(cuStreamQuery(stream_), cuda::kNotReady);
    EXPECT_EQ(words()[0], 0U);
  }
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_EQ(words()[0], 0x33333333U);
  EXPECT_EQ(words()[1], 0x22222222U);
  EXPECT_EQ(words()[2], 0x11111111U);
  EXPECT_EQ(words()[3], 0x11111111U);
}

// Four rows of eight bytes, of which fills touch the left ones.
TEST_F(Copies, FillRows) {
  const DevicePointer memory = upload(std::vector<unsigned char>(32, 0));
  EXPECT_OK(cuMemsetD2D8_v2(memory, 8, 1, 3, 2));
  EXPECT_OK(cuMemsetD2D16_v2(memory + 16, 8, 0x0202, 2, 2));
  EXPECT_THAT(download<unsigned char>(memory, 12), ElementsAre(1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 0));
  EXPECT_THAT(download<unsigned char>(memory + 16, 12),
              ElementsAre(2, 2, 2, 2, 0, 0, 0, 0, 2, 2, 2, 2));
  {
    const Gate gate(stream_);
    EXPECT_OK(cuMemsetD2D8Async(memory, 8, 3, 8, 4, stream_));
    EXPECT_OK(cuMemsetD2D16Async(memory, 8, 0x0404, 1, 4, stream_));
    EXPECT_OK(cuMemsetD2D32Async(memory + 4, 8, 0x05050505, 1, 2, stream_));
  }
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_THAT(download<unsigned char>(memory, 8), ElementsAre(4, 4, 3, 3, 5, 5, 5, 5));
  EXPECT_THAT(download<unsigned char>(memory + 24, 8), ElementsAre(4, 4, 3, 3, 3, 3, 3, 3));
  EXPECT_STATUS(cuMemsetD2D8_v2(memory, 2, 1, 3, 2), cuda::kInvalidValue);  // rows overlap
}

TEST_F(Copies, OfRowsAndSlicesWaitForTheirTurn) {
  std::vector<unsigned char> letters(24);
  std::iota(letters.begin(), letters.end(), 'a');
  const DevicePointer memory = upload(letters);
  auto* text = static_cast<char*>(pinned_);
  cuda::Copy2d rows{};
  rows.source.type = cuda::kMemoryDevice;
  rows.source.device = memory;
  rows.source.pitch = 4;
  rows.source.x = 1;
  rows.destination.type = cuda::kMemoryHost;
  rows.destination.host = text;
  rows.destination.pitch = 2;
  rows.width = 2;
  rows.height = 2;
  EXPECT_OK(cuMemcpy2DUnaligned_v2(&rows));
  EXPECT_STREQ(text, "bcfg");
  cuda::Copy3d slices{};
  slices.source.type = cuda::kMemoryDevice;
  slices.source.device = memory;
  slices.source.pitch = 4;
  slices.source.height = 3;
  slices.source.z = 1;
  slices.destination.type = cuda::kMemoryHost;
  slices.destination.host = text + 4;
  slices.width = 3;
  slices.height = slices.depth = 1;
  {
    const Gate gate(stream_);
    EXPECT_OK(cuMemsetD8Async(memory + 1, 'X', 1, stream_));
    EXPECT_OK(cuMemcpy2DAsync_v2(&rows, stream_));
    EXPECT_OK(cuMemcpy3DAsync_v2(&slices, stream_));
    EXPECT_STREQ(text, "bcfg");
  }
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_STREQ(text, "Xcfgmno");
}

TEST_F(Copies, GoFromOneDeviceToAnother) {
  const DevicePointer here = upload(std::vector{1, 2, 3});
  cuda::Context other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 1));
  const DevicePointer there = upload(std::vector{0, 0, 0});
  EXPECT_OK(cuCtxPopCurrent_v2(nullptr));
  EXPECT_OK(cuMemcpyPeerAsync(there, other, here, context_, 4, stream_));
  cuda::Copy3d copy{};
  copy.source.type = copy.destination.type = cuda::kMemoryDevice;
  copy.source.device = here;
  copy.source.context = context_;
  copy.destination.device = there;
  copy.destination.context = other;
  copy.source.x = copy.destination.x = copy.width = 4;
  copy.height = copy.depth = 1;
  EXPECT_OK(cuMemcpy3DPeerAsync(&copy, stream_));
  EXPECT_OK(cuStreamSynchronize(stream_));
  EXPECT_THAT(download<int>(there, 3), ElementsAre(1, 2, 0));
  copy.source.x = copy.destination.x = 8;
  EXPECT_OK(cuMemcpy3DPeer(&copy));
  EXPECT_THAT(download<int>(there, 3), ElementsAre(1, 2, 3));
  EXPECT_OK(cuCtxDestroy_v2(other));
}

}  // namespace
}  // namespace egpu::emu::driver
