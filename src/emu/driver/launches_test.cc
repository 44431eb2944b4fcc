// Launches and their limits.
#include "emu/driver/test_kernel_launch.h"

namespace egpu::emu::driver {
namespace {

using testing::Each;

class Launches : public KernelTest {
 protected:
  static Status launch_empty(cuda::Function function, unsigned grid, unsigned block,
                             unsigned shared = 0) {
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, nullptr, nullptr, nullptr);
  }
};

TEST_F(Launches, RunEveryThread) {
  const cuda::Function add = load(kAdd, "add");
  const DevicePointer memory = upload(std::vector<unsigned>(1000, 1));
  unsigned value = 5;
  unsigned count = 999;
  DevicePointer address = memory;
  void* parameters[] = {&address, &value, &count};
  ASSERT_OK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  address = 0;  // the launch has taken its own copy
  std::vector<unsigned> result = download<unsigned>(memory, 1000);
  EXPECT_EQ(result.back(), 1U);
  result.pop_back();
  EXPECT_THAT(result, Each(6U));
}

TEST_F(Launches, TakeParametersInOneBuffer) {
  const cuda::Function add = load(kAdd, "add");
  const DevicePointer memory = upload(std::vector<unsigned>(32, 1));
  struct {
    DevicePointer words;
    unsigned value;
    unsigned count;
  } buffer{memory, 2, 32};
  std::size_t size = sizeof buffer;
  void* extra[] = {as_pointer(cuda::kLaunchParamBufferPointer), &buffer,
                   as_pointer(cuda::kLaunchParamBufferSize), &size, nullptr};
  ASSERT_OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_THAT(download<unsigned>(memory, 32), Each(3U));
  size = 8;
  EXPECT_STATUS(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra),
                cuda::kInvalidValue);
  EXPECT_STATUS(launch_empty(add, 1, 32), cuda::kInvalidValue);  // no parameters at all
}

TEST_F(Launches, ReturnBeforeTheKernelEnds) {
  const cuda::Function spin = load(kSpin, "spin");
  void* pinned = nullptr;
  ASSERT_OK(cuMemAllocHost_v2(&pinned, 4));
  auto* word = static_cast<volatile unsigned*>(pinned);
  cuda::Stream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, cuda::kStreamNonBlocking));
  ASSERT_OK(launch_with(spin, reinterpret_cast<DevicePointer>(pinned), stream));
  EXPECT_STATUS(cuStreamQuery(stream), cuda::kNotReady);
  *word = 1;
  EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(Launches, OfKernelsThatWaitForEachOtherEnd) {
  const cuda::Function spin = load(kSpin, "spin");
  const cuda::Function add = load(kAdd, "add");
  const DevicePointer word = upload(std::vector<unsigned>{0});
  cuda::Stream first = nullptr;
  cuda::Stream second = nullptr;
  ASSERT_OK(cuStreamCreate(&first, cuda::kStreamNonBlocking));
  ASSERT_OK(cuStreamCreate(&second, cuda::kStreamNonBlocking));
  ASSERT_OK(launch_with(spin, word, first));
  DevicePointer address = word;
  unsigned one = 1;
  void* parameters[] = {&address, &one, &one};
  ASSERT_OK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, second, parameters, nullptr));
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(Launches, AcceptKernelsOfLibraries) {
  cuda::Library library = nullptr;
  ASSERT_OK(cuLibraryLoadData(&library, with_header(kDouble).c_str(), nullptr, nullptr, 0, nullptr,
                              nullptr, 0));
  cuda::Kernel kernel = nullptr;
  ASSERT_OK(cuLibraryGetKernel(&kernel, library, "twice"));
  const DevicePointer word = upload(std::vector<unsigned>{21});
  ASSERT_OK(launch_with(reinterpret_cast<cuda::Function>(kernel), word));
  EXPECT_EQ(download<unsigned>(word, 1).front(), 42U);
}

TEST_F(Launches, BeyondTheLimitsAreRefused) {
  const cuda::Function free = load(".visible .entry k() { ret; }", "k");
  const cuda::Function bounded = load(".visible .entry k() .maxntid 64, 1, 1 { ret; }", "k");
  const cuda::Function required = load(".visible .entry k() .reqntid 32, 1, 1 { ret; }", "k");
  EXPECT_OK(launch_empty(free, 1, 1024));
  EXPECT_STATUS(launch_empty(free, 1, 1025), cuda::kInvalidValue);
  EXPECT_STATUS(launch_empty(free, 0, 32), cuda::kInvalidValue);
  EXPECT_STATUS(launch_empty(free, 1, 0), cuda::kInvalidValue);
  EXPECT_STATUS(cuLaunchKernel(free, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                cuda::kInvalidValue);
  EXPECT_STATUS(cuLaunchKernel(free, 1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, nullptr),
                cuda::kInvalidValue);
  EXPECT_OK(launch_empty(bounded, 1, 64));
  EXPECT_STATUS(launch_empty(bounded, 1, 65), cuda::kLaunchOutOfResources);
  EXPECT_OK(launch_empty(required, 1, 32));
  EXPECT_STATUS(launch_empty(required, 1, 16), cuda::kInvalidValue);
  EXPECT_STATUS(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                cuda::kInvalidHandle);
}

TEST_F(Launches, WithMuchSharedMemoryNeedTheAttribute) {
  const cuda::Function function =
      load(".visible .entry k() { .shared .align 4 .b8 fixed[1024]; ret; }", "k");
  EXPECT_OK(launch_empty(function, 1, 32, 48 * 1024 - 1024));
  EXPECT_STATUS(launch_empty(function, 1, 32, 48 * 1024), cuda::kInvalidValue);
  EXPECT_OK(cuFuncSetAttribute(function, cuda::kFunctionMaxDynamicSharedSizeBytes, 200 * 1024));
  EXPECT_OK(launch_empty(function, 1, 32, 200 * 1024));
  EXPECT_STATUS(launch_empty(function, 1, 32, 201 * 1024), cuda::kInvalidValue);
}

TEST_F(Launches, TakeAttributes) {
  const cuda::Function function = load(".visible .entry k() { ret; }", "k");
  cuda::LaunchAttribute attributes[2] = {};
  attributes[0].id = cuda::kLaunchClusterDimension;
  attributes[0].value.dimension[0] = 4;
  attributes[0].value.dimension[1] = 1;
  attributes[0].value.dimension[2] = 1;
  attributes[1].id = cuda::kLaunchPriority;
  cuda::LaunchConfig config{.grid_x = 8,
                            .grid_y = 1,
                            .grid_z = 1,
                            .block_x = 32,
                            .block_y = 1,
                            .block_z = 1,
                            .shared_bytes = 0,
                            .stream = nullptr,
                            .attributes = attributes,
                            .attribute_count = 2};
  EXPECT_OK(cuLaunchKernelEx(&config, function, nullptr, nullptr));
  attributes[0].value.dimension[0] = 3;  // 8 blocks are no multiple
  EXPECT_STATUS(cuLaunchKernelEx(&config, function, nullptr, nullptr), cuda::kInvalidValue);
  config.grid_x = 32;
  attributes[0].value.dimension[0] = 16;
  EXPECT_STATUS(cuLaunchKernelEx(&config, function, nullptr, nullptr), cuda::kInvalidClusterSize);
  EXPECT_OK(cuFuncSetAttribute(function, cuda::kFunctionNonPortableClusterSizeAllowed, 1));
  EXPECT_OK(cuLaunchKernelEx(&config, function, nullptr, nullptr));
  attributes[1].id = cuda::kLaunchDeviceUpdatableKernelNode;
  EXPECT_STATUS(cuLaunchKernelEx(&config, function, nullptr, nullptr), cuda::kNotSupported);
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(Launches, OfCooperativeKernelsFitTheDevice) {
  const cuda::Function function = load(".visible .entry k() { ret; }", "k");
  int blocks = 0;
  ASSERT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1024, 0));
  EXPECT_EQ(blocks, 2);
  EXPECT_OK(cuLaunchCooperativeKernel(function, 16, 1, 1, 1024, 1, 1, 0, nullptr, nullptr));
  EXPECT_STATUS(cuLaunchCooperativeKernel(function, 17, 1, 1, 1024, 1, 1, 0, nullptr, nullptr),
                cuda::kCooperativeLaunchTooLarge);
}

// What this_grid().sync() of the toolkit needs.
TEST_F(Launches, OfCooperativeKernelsHaveAWorkspace) {
  const cuda::Function function = load(R"(
.visible .entry k(.param .u64 word) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  .reg .pred %p;
  ld.param.u64 %rd1, [word];
  mov.u32 %r1, %envreg1;
  mov.u32 %r2, %envreg2;
  mov.b64 %rd2, {%r2, %r1};
  setp.eq.u64 %p, %rd2, 0;
  @%p ret;
  ld.global.u32 %r3, [%rd2+4];
  add.u32 %r3, %r3, 7;
  st.global.u32 [%rd1], %r3;
  ret;
})",
                                       "k");
  DevicePointer word = upload(std::vector<unsigned>{1});
  ASSERT_OK(launch_with(function, word));
  EXPECT_EQ(download<unsigned>(word, 1).front(), 1U);
  void* parameters[] = {&word};
  ASSERT_OK(cuLaunchCooperativeKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters));
  EXPECT_EQ(download<unsigned>(word, 1).front(), 7U);
}

// The executor counts the registers that PTX declares, which an assembler would share.
TEST_F(Launches, AreNotRefusedForDeclaredRegisters) {
  const cuda::Function many = load(".visible .entry k() { .reg .b64 %rd<2000>; ret; }", "k");
  EXPECT_OK(launch_empty(many, 1, 1024));
  const cuda::Function bounded =
      load(".visible .entry k() .maxntid 128, 1, 1 { .reg .b64 %rd<2000>; ret; }", "k");
  int registers = 0;
  EXPECT_OK(cuFuncGetAttribute(&registers, cuda::kFunctionNumRegs, many));
  EXPECT_EQ(registers, 64);
  EXPECT_OK(cuFuncGetAttribute(&registers, cuda::kFunctionNumRegs, bounded));
  EXPECT_EQ(registers, 255);
}

TEST_F(Launches, KnowTheirOccupancy) {
  const cuda::Function function = load(".visible .entry k() { ret; }", "k");
  int blocks = 0;
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 0));
  EXPECT_EQ(blocks, 32);
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 47U << 10));
  EXPECT_EQ(blocks, 4);  // 228 KiB in blocks of 47 and the driver's own
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 32, 49U << 10));
  EXPECT_EQ(blocks, 0);
  EXPECT_STATUS(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0),
                cuda::kInvalidValue);
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, 1024, 0, 0));
  EXPECT_EQ(blocks, 2);
  int grid = 0;
  int block = 0;
  EXPECT_OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 128, 0));
  EXPECT_EQ(block, 128);
  EXPECT_STATUS(
      cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, nullptr, 0, 128, 2),
      cuda::kInvalidValue);
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 16);
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(
      &grid, &block, function, [](int threads) { return std::size_t{100} * threads; }, 0, 0));
  EXPECT_EQ(block % 32, 0);
  EXPECT_LE(block * 100, 49152);
  std::size_t bytes = 0;
  EXPECT_OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, function, 8, 128));
  EXPECT_EQ(bytes, 228 * 1024 / 8 - 1024);
}

TEST_F(Launches, KnowHowManyClustersFit) {
  const cuda::Function function = load(".visible .entry k() { ret; }", "k");
  cuda::LaunchAttribute attribute{};
  attribute.id = cuda::kLaunchClusterDimension;
  attribute.value.dimension[0] = 4;
  attribute.value.dimension[1] = attribute.value.dimension[2] = 1;
  cuda::LaunchConfig config{.grid_x = 8,
                            .grid_y = 1,
                            .grid_z = 1,
                            .block_x = 1024,
                            .block_y = 1,
                            .block_z = 1,
                            .shared_bytes = 0,
                            .stream = nullptr,
                            .attributes = &attribute,
                            .attribute_count = 1};
  int clusters = 0;
  EXPECT_OK(cuOccupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_EQ(clusters, 4);  // of 16 resident blocks
  int size = 0;
  EXPECT_OK(cuOccupancyMaxPotentialClusterSize(&size, function, &config));
  EXPECT_EQ(size, 8);
  attribute.value.dimension[0] = 0;
  EXPECT_STATUS(cuOccupancyMaxActiveClusters(&clusters, function, &config),
                cuda::kInvalidClusterSize);
}

}  // namespace
}  // namespace egpu::emu::driver
