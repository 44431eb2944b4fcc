// The runtime stand-in as a program sees it that nvcc compiled; what nvcc would generate is written
// by hand here, so that no toolkit is needed. tests/emulator_nvcc_test.cc has programs of nvcc's.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "abi/fatbin_wrapper.h"
#include "emu/runtime/types.h"
#include "fatbin/test_images.h"

namespace egpu::emu::runtime {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kPtx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .const .align 4 .b8 table[16];
.visible .global .align 4 .u32 counter = 5;
.visible .global .attribute(.managed) .align 4 .u32 shared_number = 7;
.visible .entry fill(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r4, %r4, %r3, %r2;
  add.s32 %r5, %r4, %r1;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
.visible .entry read_table(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u64 %rd4, table;
  add.s64 %rd4, %rd4, %rd2;
  ld.const.u32 %r2, [%rd4];
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

std::atomic<int> launches{0};  // of the driver's function, counted by ours below

}  // namespace

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): names of the runtime
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(Dim3, Dim3, std::size_t, cuda::Stream);
Error __cudaPopCallConfiguration(Dim3*, Dim3*, std::size_t*, void*);
Error __cudaGetKernel(cuda::Kernel*, const void*);
Error __cudaLaunchKernel(cuda::Kernel, Dim3, Dim3, void**, std::size_t, cuda::Stream);
Error cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, cuda::Stream);
Error cudaLaunchKernel_ptsz(const void*, Dim3, Dim3, void**, std::size_t, cuda::Stream);
Error cudaLaunchKernelExC(const LaunchConfig*, const void*, void**);
Error cudaMalloc(void**, std::size_t);
Error cudaMallocAsync(void**, std::size_t, cuda::Stream);
Error cudaFreeAsync(void*, cuda::Stream);
Error cudaMallocManaged(void**, std::size_t, unsigned);
Error cudaMallocHost(void**, std::size_t);
Error cudaFree(void*);
Error cudaFreeHost(void*);
Error cudaMemcpy(void*, const void*, std::size_t, CopyKind);
Error cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t,
                   CopyKind);
Error cudaMemset(void*, int, std::size_t);
Error cudaMemset3D(PitchedPointer, int, Extent);
Error cudaMemsetAsync(void*, int, std::size_t, cuda::Stream);
Error cudaMemcpyToSymbol(const void*, const void*, std::size_t, std::size_t, CopyKind);
Error cudaMemcpyFromSymbol(void*, const void*, std::size_t, std::size_t, CopyKind);
Error cudaGetSymbolSize(std::size_t*, const void*);
Error cudaPointerGetAttributes(PointerAttributes*, const void*);
Error cudaGetLastError();
Error cudaPeekAtLastError();
const char* cudaGetErrorName(Error);
const char* cudaGetErrorString(Error);
Error cudaDeviceSynchronize();
Error cudaDeviceReset();
Error cudaGetDeviceCount(int*);
Error cudaSetDevice(int);
Error cudaGetDeviceProperties(DeviceProperties*, int);
Error cudaFuncGetAttributes(FunctionAttributes*, const void*);
Error cudaFuncSetAttribute(const void*, cuda::FunctionAttribute, int);
Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
Error cudaStreamCreate(cuda::Stream*);
Error cudaStreamDestroy(cuda::Stream);
Error cudaStreamSynchronize(cuda::Stream);
Error cudaStreamAddCallback(cuda::Stream, StreamCallback, void*, unsigned);
Error cudaStreamBeginCapture(cuda::Stream, cuda::CaptureMode);
Error cudaStreamEndCapture(cuda::Stream, cuda::Graph*);
Error cudaGraphInstantiate(cuda::GraphExec*, cuda::Graph, unsigned long long);
Error cudaGraphLaunch(cuda::GraphExec, cuda::Stream);
Error cudaGraphCreate(cuda::Graph*, unsigned);
Error cudaGraphAddKernelNode(cuda::GraphNode*, cuda::Graph, const cuda::GraphNode*, std::size_t,
                             const KernelNodeParameters*);
Error cudaGraphKernelNodeGetParams(cuda::GraphNode, KernelNodeParameters*);
Error cudaEventCreate(cuda::Event*);
Error cudaEventRecord(cuda::Event, cuda::Stream);
Error cudaEventSynchronize(cuda::Event);
Error cudaEventElapsedTime(float*, cuda::Event, cuda::Event);
Error cudaMallocArray();
Error cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);

// Stands before the driver's, as a hook of its exported function would.
using LaunchKernel = cuda::Status(cuda::Function, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, cuda::Stream, void**, void**);
cuda::Status cuLaunchKernel(cuda::Function function, unsigned grid_x, unsigned grid_y,
                            unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                            unsigned shared_bytes, cuda::Stream stream, void** parameters,
                            void** extra) {
  static const auto real = reinterpret_cast<LaunchKernel*>(::dlsym(RTLD_NEXT, "cuLaunchKernel"));
  ++launches;
  return real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
              parameters, extra);
}
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace {

// A fat binary as nvcc lays it out.
class Image {
 public:
  explicit Image(std::string ptx)
      : region_(fatbin::region({fatbin::TestEntry{.architecture = 70, .payload = std::move(ptx)}})),
        wrapper_{abi::kFatbinWrapperMagic, abi::kFatbinWrapperPlain,
                 reinterpret_cast<std::uint64_t>(region_.data()), 0} {}

  void* wrapper() { return &wrapper_; }

 private:
  alignas(8) std::string region_;
  abi::FatbinWrapper wrapper_;
};

// Host symbols: only their addresses count.
char fill_stub, read_table_stub, missing_stub, counter_shadow, table_shadow;
void* managed_shadow = nullptr;

class Runtime : public testing::Test {
 protected:
  static constexpr unsigned kBlocks = 2;
  static constexpr unsigned kThreads = 32;
  static constexpr std::size_t kCount = std::size_t{kBlocks} * kThreads;

  void SetUp() override {
    handle_ = __cudaRegisterFatBinary(image_.wrapper());
    const auto function = [&](const char* host, const char* name) {
      __cudaRegisterFunction(handle_, host, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                             nullptr);
    };
    function(&fill_stub, "fill");
    function(&read_table_stub, "read_table");
    function(&missing_stub, "missing");
    __cudaRegisterVar(handle_, &counter_shadow, nullptr, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle_, &table_shadow, nullptr, "table", 0, 16, 1, 0);
    __cudaRegisterManagedVar(handle_, &managed_shadow, nullptr, "shared_number", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle_);
    ASSERT_EQ(cudaMalloc(&memory_, kCount * sizeof(unsigned)), kSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaFree(memory_), kSuccess);
    __cudaUnregisterFatBinary(handle_);
    cudaGetLastError();
  }

  Error fill(unsigned value, cuda::Stream stream = nullptr) {
    void* arguments[] = {static_cast<void*>(&memory_), &value};
    return cudaLaunchKernel(&fill_stub, {kBlocks, 1, 1}, {kThreads, 1, 1}, arguments, 0, stream);
  }
  std::vector<unsigned> read(std::size_t count = kCount) {
    std::vector<unsigned> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), memory_, count * sizeof(unsigned), kDeviceToHost),
              kSuccess);
    return values;
  }
  static std::vector<unsigned> numbers_from(unsigned first) {
    std::vector<unsigned> values(kCount);
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  Image image_{kPtx};
  void** handle_ = nullptr;
  void* memory_ = nullptr;
};

TEST_F(Runtime, RunsAKernelAsGeneratedCodeLaunchesIt) {
  unsigned value = 100;
  void* arguments[] = {static_cast<void*>(&memory_), &value};
  EXPECT_EQ(__cudaPushCallConfiguration({kBlocks, 1, 1}, {kThreads, 1, 1}, 0, nullptr), 0u);
  Dim3 grid{};
  Dim3 block{};
  std::size_t shared_bytes = 1;
  cuda::Stream stream = nullptr;
  cuda::Kernel kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, &fill_stub), kSuccess);
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, static_cast<void*>(&stream)),
            kSuccess);
  EXPECT_EQ(shared_bytes, 0u);
  ASSERT_EQ(__cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream), kSuccess);
  EXPECT_EQ(read(), numbers_from(100));
}

TEST_F(Runtime, LaunchesThroughTheDriversExportedFunction) {
  const int before = launches;
  ASSERT_EQ(fill(1), kSuccess);
  EXPECT_EQ(launches, before + 1);
  EXPECT_EQ(read(), numbers_from(1));
}

TEST_F(Runtime, LaunchesWithAConfiguration) {
  unsigned value = 3;
  void* arguments[] = {static_cast<void*>(&memory_), &value};
  LaunchConfig config{.grid = {kBlocks, 1, 1},
                      .block = {kThreads, 1, 1},
                      .shared_bytes = 0,
                      .stream = nullptr,
                      .attributes = nullptr,
                      .attribute_count = 0};
  ASSERT_EQ(cudaLaunchKernelExC(&config, &fill_stub, arguments), kSuccess);
  EXPECT_EQ(read(), numbers_from(3));
}

TEST_F(Runtime, AThreadsOwnDefaultStreamIsAStreamToo) {
  unsigned value = 4;
  void* arguments[] = {static_cast<void*>(&memory_), &value};
  std::thread([&] {
    EXPECT_EQ(
        cudaLaunchKernel_ptsz(&fill_stub, {kBlocks, 1, 1}, {kThreads, 1, 1}, arguments, 0, nullptr),
        kSuccess);
  }).join();
  ASSERT_EQ(cudaDeviceSynchronize(), kSuccess);
  EXPECT_EQ(read(), numbers_from(4));
}

TEST_F(Runtime, AnErrorStaysUntilItIsAskedFor) {
  EXPECT_EQ(cudaGetLastError(), kSuccess);
  EXPECT_EQ(cudaMemcpy(memory_, memory_, 4, 9), kInvalidMemcpyDirection);
  EXPECT_EQ(cudaDeviceSynchronize(), kSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), kInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), kInvalidMemcpyDirection);
  EXPECT_EQ(cudaGetLastError(), kSuccess);
}

TEST_F(Runtime, ImpossibleLaunchesAreRefused) {
  void* arguments[] = {static_cast<void*>(&memory_), static_cast<void*>(&memory_)};
  const auto launch = [&](const void* function, Dim3 grid, Dim3 block) {
    return cudaLaunchKernel(function, grid, block, arguments, 0, nullptr);
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&fill_stub, {1, 1, 1}, {2048, 1, 1}), kInvalidConfiguration);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("fill is not launched: a block of (2048,1,1) threads"));
  EXPECT_EQ(launch(&fill_stub, {1, 1, 1}, {64, 64, 1}), kInvalidConfiguration);
  EXPECT_EQ(launch(&fill_stub, {0, 1, 1}, {1, 1, 1}), kInvalidConfiguration);
  EXPECT_EQ(launch(&fill_stub, {1, 70000, 1}, {1, 1, 1}), kInvalidConfiguration);
  EXPECT_EQ(launch(&missing_stub, {1, 1, 1}, {1, 1, 1}), kInvalidDeviceFunction);
  EXPECT_EQ(launch(&counter_shadow, {1, 1, 1}, {1, 1, 1}), kInvalidDeviceFunction);
}

TEST_F(Runtime, CodeThatNobodyUsesIsNotLoaded) {
  Image broken("nonsense");
  char stub = 0;
  void** handle = __cudaRegisterFatBinary(broken.wrapper());
  __cudaRegisterFunction(handle, &stub, nullptr, "kernel", -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  ASSERT_EQ(fill(1), kSuccess);
  EXPECT_EQ(read(), numbers_from(1));
  EXPECT_NE(cudaLaunchKernel(&stub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr), kSuccess);
  __cudaUnregisterFatBinary(handle);
  EXPECT_EQ(cudaLaunchKernel(&stub, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
            kInvalidDeviceFunction);
}

TEST_F(Runtime, VariablesAreReadAndWritten) {
  unsigned value = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&value, &counter_shadow, 4, 0, kDeviceToHost), kSuccess);
  EXPECT_EQ(value, 5u);
  const std::array<unsigned, 3> numbers{10, 11, 12};
  ASSERT_EQ(cudaMemcpyToSymbol(&table_shadow, numbers.data(), sizeof numbers, 4, kHostToDevice),
            kSuccess);
  void* arguments[] = {static_cast<void*>(&memory_)};
  ASSERT_EQ(cudaLaunchKernel(&read_table_stub, {1, 1, 1}, {4, 1, 1}, arguments, 0, nullptr),
            kSuccess);
  EXPECT_THAT(read(4), ElementsAre(0, 10, 11, 12));

  std::size_t bytes = 0;
  EXPECT_EQ(cudaGetSymbolSize(&bytes, &table_shadow), kSuccess);
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, &counter_shadow, 4, 1, kDeviceToHost), kInvalidValue);
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, &fill_stub, 4, 0, kDeviceToHost), kInvalidSymbol);
}

TEST_F(Runtime, ManagedVariablesAreTheHostsToo) {
  EXPECT_NE(__cudaInitModule(handle_), 0);
  ASSERT_NE(managed_shadow, nullptr);
  EXPECT_EQ(*static_cast<unsigned*>(managed_shadow), 7u);
  void* managed = nullptr;
  PointerAttributes attributes{};
  ASSERT_EQ(cudaMallocManaged(&managed, 64, cuda::kAttachGlobal), kSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, managed), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryManaged);
  EXPECT_EQ(cudaFree(managed), kSuccess);
}

TEST_F(Runtime, TellsWhatPointersPointTo) {
  PointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, memory_), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.device_pointer, memory_);

  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 64), kSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryHost);
  EXPECT_EQ(attributes.host_pointer, pinned);
  EXPECT_EQ(cudaFreeHost(pinned), kSuccess);

  int local = 0;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &local), kSuccess);
  EXPECT_EQ(attributes.type, kMemoryUnregistered);
  EXPECT_EQ(attributes.device, kInvalidDeviceId);
}

TEST_F(Runtime, CopiesAndFillsRowsAndBoxes) {
  ASSERT_EQ(cudaMemset(memory_, 0, kCount * 4), kSuccess);
  const std::array<unsigned char, 6> rows{1, 2, 3, 4, 5, 6};
  ASSERT_EQ(cudaMemcpy2D(memory_, 8, rows.data(), 3, 2, 2, kHostToDevice), kSuccess);
  EXPECT_THAT(read(3), ElementsAre(0x0201, 0, 0x0504));

  // Two slices of two rows each, of which the first row is filled.
  const PitchedPointer box{.pointer = memory_, .pitch = 4, .width = 4, .height = 2};
  ASSERT_EQ(cudaMemset3D(box, 0xff, {.width = 3, .height = 1, .depth = 2}), kSuccess);
  EXPECT_THAT(read(4), ElementsAre(0xffffff, 0, 0xffffff, 0));
}

TEST_F(Runtime, AllocatesInTheOrderOfAStream) {
  cuda::Stream stream = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), kSuccess);
  ASSERT_EQ(cudaMallocAsync(&memory, 64, stream), kSuccess);
  EXPECT_EQ(cudaMemsetAsync(memory, 1, 64, stream), kSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), kSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), kSuccess);
}

TEST_F(Runtime, CallbacksAndEventsFollowTheirStream) {
  cuda::Stream stream = nullptr;
  cuda::Event start = nullptr;
  cuda::Event end = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), kSuccess);
  ASSERT_EQ(cudaEventCreate(&start), kSuccess);
  ASSERT_EQ(cudaEventCreate(&end), kSuccess);
  ASSERT_EQ(cudaEventRecord(start, stream), kSuccess);
  std::atomic<int> called{0};
  const auto callback = [](cuda::Stream, Error error, void* data) {
    if (error == kSuccess) ++*static_cast<std::atomic<int>*>(data);
  };
  ASSERT_EQ(cudaStreamAddCallback(stream, callback, &called, 0), kSuccess);
  ASSERT_EQ(cudaEventRecord(end, stream), kSuccess);
  ASSERT_EQ(cudaEventSynchronize(end), kSuccess);
  EXPECT_EQ(called, 1);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, end), kSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaStreamDestroy(stream), kSuccess);
}

TEST_F(Runtime, ReplaysWhatItCaptured) {
  cuda::Stream stream = nullptr;
  cuda::Graph graph = nullptr;
  cuda::GraphExec executable = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), kSuccess);
  ASSERT_EQ(cudaMemset(memory_, 0, kCount * 4), kSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cuda::kCaptureGlobal), kSuccess);
  ASSERT_EQ(fill(8, stream), kSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), kSuccess);
  EXPECT_THAT(read(), Each(0));
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), kSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), kSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), kSuccess);
  EXPECT_EQ(read(), numbers_from(8));
}

TEST_F(Runtime, NodesOfKernelsNameTheHostsFunction) {
  unsigned value = 9;
  void* arguments[] = {static_cast<void*>(&memory_), &value};
  const KernelNodeParameters parameters{.function = &fill_stub,
                                        .grid = {kBlocks, 1, 1},
                                        .block = {kThreads, 1, 1},
                                        .shared_bytes = 0,
                                        .parameters = arguments,
                                        .extra = nullptr};
  cuda::Graph graph = nullptr;
  cuda::GraphNode node = nullptr;
  KernelNodeParameters found{};
  ASSERT_EQ(cudaGraphCreate(&graph, 0), kSuccess);
  ASSERT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), kSuccess);
  ASSERT_EQ(cudaGraphKernelNodeGetParams(node, &found), kSuccess);
  EXPECT_EQ(found.function, &fill_stub);
  EXPECT_EQ(found.block.x, kThreads);
}

TEST_F(Runtime, DescribesKernelsAndDevices) {
  FunctionAttributes attributes{};
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &fill_stub), kSuccess);
  EXPECT_EQ(attributes.ptx_version, 70);
  EXPECT_GE(attributes.max_threads_per_block, 1);
  int blocks = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &fill_stub, 256, 0), kSuccess);
  EXPECT_GE(blocks, 1);
  EXPECT_EQ(cudaFuncSetAttribute(&fill_stub, cuda::kFunctionMaxDynamicSharedSizeBytes, 65536),
            kSuccess);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &fill_stub), kSuccess);
  EXPECT_EQ(attributes.max_dynamic_shared_bytes, 65536);

  int count = 0;
  DeviceProperties properties{};
  ASSERT_EQ(cudaGetDeviceCount(&count), kSuccess);
  EXPECT_EQ(cudaSetDevice(count), kInvalidDevice);
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), kSuccess);
  EXPECT_THAT(properties.name, HasSubstr("emulator"));
  EXPECT_EQ(properties.warp_size, 32);
  EXPECT_GE(properties.multiprocessors, 1);
}

TEST_F(Runtime, AfterAResetAllStartsAnew) {
  ASSERT_EQ(fill(1), kSuccess);
  ASSERT_EQ(cudaDeviceReset(), kSuccess);
  ASSERT_EQ(cudaMalloc(&memory_, kCount * sizeof(unsigned)), kSuccess);
  ASSERT_EQ(fill(2), kSuccess);
  EXPECT_EQ(read(), numbers_from(2));
}

TEST_F(Runtime, FindsFunctionsOfTheDriver) {
  void* function = nullptr;
  int result = -1;
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, 0, &result), kSuccess);
  EXPECT_EQ(result, cuda::kProcAddressSuccess);
  EXPECT_EQ(function, ::dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
}

TEST_F(Runtime, WhatIsMissingIsNamed) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMallocArray(), kNotSupported);
  EXPECT_EQ(cudaMallocArray(), kNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "egpu emulator: not supported: cudaMallocArray\n");
}

TEST(RuntimeErrors, HaveNamesAndMeanings) {
  EXPECT_STREQ(cudaGetErrorName(kInvalidConfiguration), "cudaErrorInvalidConfiguration");
  EXPECT_STREQ(cudaGetErrorName(12345), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(kSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorString(cuda::kOutOfMemory), "out of memory");
  EXPECT_THAT(cudaGetErrorString(kInvalidConfiguration), HasSubstr("launch"));
}

}  // namespace
}  // namespace egpu::emu::runtime
