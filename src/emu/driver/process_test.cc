// The driver in a process of its own: before it is initialised, at its end, and with an injected
// library. Each case runs the test program anew.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "emu/driver/test_driver.h"
#include "emu/driver/test_ptx.h"

namespace egpu::emu::driver {
namespace {

using testing::ExitedWithCode;

class DriverProcess : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void demand(bool condition) {
  if (!condition) std::_Exit(1);
}

void start() {
  demand(cuInit(0) == cuda::kSuccess);
  cuda::Context context = nullptr;
  demand(cuCtxCreate_v2(&context, 0, 0) == cuda::kSuccess);
}

TEST_F(DriverProcess, MustInitialise) {
  EXPECT_EXIT(
      {
        int count = 0;
        demand(cuDeviceGetCount(&count) == cuda::kNotInitialized);
        demand(cuCtxSynchronize() == cuda::kNotInitialized);
        void* function = nullptr;
        demand(cuGetProcAddress_v2("cuInit", &function, 12000, 0, nullptr) == cuda::kSuccess);
        demand(cuInit(1) == cuda::kInvalidValue);
        demand(cuInit(0) == cuda::kSuccess && cuInit(0) == cuda::kSuccess);
        demand(cuDeviceGetCount(&count) == cuda::kSuccess);
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(DriverProcess, SaysWhichSettingIsWrong) {
  EXPECT_EXIT(
      {
        ::setenv("EGPU_EMULATOR_DEVICES", "many", 1);
        demand(cuInit(0) == cuda::kSuccess);
        int count = 0;
        demand(cuDeviceGetCount(&count) == cuda::kSuccess);
        std::exit(count == 1 ? 0 : 1);
      },
      ExitedWithCode(0), "EGPU_EMULATOR_DEVICES=many");
}

// As many as asked for, each with memory of its own.
TEST_F(DriverProcess, HasEightDevices) {
  EXPECT_EXIT(
      {
        ::setenv("EGPU_EMULATOR_DEVICES", "8", 1);
        demand(cuInit(0) == cuda::kSuccess);
        int count = 0;
        demand(cuDeviceGetCount(&count) == cuda::kSuccess && count == 8);
        for (cuda::Device device = 0; device < count; ++device) {
          cuda::Context context = nullptr;
          DevicePointer memory = 0;
          std::size_t free = 0;
          std::size_t total = 0;
          demand(cuDevicePrimaryCtxRetain(&context, device) == cuda::kSuccess);
          demand(cuCtxSetCurrent(context) == cuda::kSuccess);
          demand(cuMemAlloc_v2(&memory, 1 << 20) == cuda::kSuccess);
          demand(cuMemGetInfo_v2(&free, &total) == cuda::kSuccess && free == total - (1 << 20));
          int ordinal = -1;
          demand(cuPointerGetAttribute(&ordinal, cuda::kPointerDeviceOrdinal, memory) ==
                 cuda::kSuccess);
          demand(ordinal == device);
        }
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(DriverProcess, EndsWhileKernelsRun) {
  EXPECT_EXIT(
      {
        start();
        cuda::Module module = nullptr;
        demand(cuModuleLoadData(&module, with_header(kSpin).c_str()) == cuda::kSuccess);
        cuda::Function function = nullptr;
        demand(cuModuleGetFunction(&function, module, "spin") == cuda::kSuccess);
        void* word = nullptr;
        demand(cuMemAllocHost_v2(&word, 4) == cuda::kSuccess);
        void* parameters[] = {static_cast<void*>(&word)};
        for (int i = 0; i < 20; ++i) {
          cuda::Stream stream = nullptr;
          demand(cuStreamCreate(&stream, cuda::kStreamNonBlocking) == cuda::kSuccess);
          demand(cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr) ==
                 cuda::kSuccess);
        }
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(DriverProcess, TellsExitHandlersThatItIsGone) {
  EXPECT_EXIT(
      {
        // They run in the opposite order: this one last.
        std::atexit([] { demand(cuCtxSynchronize() == cuda::kDeinitialized); });
        start();
        std::atexit([] { demand(cuCtxSynchronize() == cuda::kSuccess); });
        std::exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(DriverProcess, LoadsTheInjectedLibrary) {
  const auto trace =
      std::filesystem::temp_directory_path() / ("egpu-process-test-" + std::to_string(::getpid()));
  ::setenv("FAKE_CHAINED_TRACE", trace.c_str(), 0);  // the new process has its parent's
  ::setenv("CUDA_INJECTION64_PATH", FAKE_CHAINED_INJECTION, 1);
  EXPECT_EXIT(
      {
        start();
        std::exit(0);
      },
      ExitedWithCode(0), "");
  ::unsetenv("CUDA_INJECTION64_PATH");
  std::ifstream file(trace);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(content, "initialised");
  std::filesystem::remove(trace);
}

TEST_F(DriverProcess, SaysWhenTheInjectedLibraryDoesNotLoad) {
  EXPECT_EXIT(
      {
        ::setenv("CUDA_INJECTION64_PATH", "/nowhere/injection.so", 1);
        start();
        std::exit(0);
      },
      ExitedWithCode(0), "/nowhere/injection.so");
}

}  // namespace
}  // namespace egpu::emu::driver
