// Initialisation, devices, names and cuGetProcAddress.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <set>

#include "emu/driver/test_driver.h"

namespace egpu::emu::driver {
namespace {

using Entries = DriverTest;

TEST_F(Entries, TellsVersionAndDevices) {
  int version = 0;
  EXPECT_OK(cuDriverGetVersion(&version));
  EXPECT_EQ(version, 13000);
  int count = 0;
  EXPECT_OK(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  cuda::Device device = -1;
  EXPECT_OK(cuDeviceGet(&device, 1));
  EXPECT_EQ(device, 1);
  EXPECT_STATUS(cuDeviceGet(&device, 2), cuda::kInvalidDevice);
  char name[64];
  EXPECT_OK(cuDeviceGetName(name, sizeof name, 0));
  EXPECT_STREQ(name, "egpu emulator");
  char short_name[5];
  EXPECT_OK(cuDeviceGetName(short_name, sizeof short_name, 0));
  EXPECT_STREQ(short_name, "egpu");
}

TEST_F(Entries, TellsDevicesApart) {
  cuda::Uuid first{};
  cuda::Uuid second{};
  EXPECT_OK(cuDeviceGetUuid_v2(&first, 0));
  EXPECT_OK(cuDeviceGetUuid_v2(&second, 1));
  EXPECT_NE(0, std::memcmp(&first, &second, sizeof first));
  EXPECT_OK(cuDeviceGetUuid(&second, 0));
  EXPECT_EQ(0, std::memcmp(&first, &second, sizeof first));
  char id[32];
  cuda::Device device = -1;
  EXPECT_OK(cuDeviceGetPCIBusId(id, sizeof id, 1));
  EXPECT_OK(cuDeviceGetByPCIBusId(&device, id));
  EXPECT_EQ(device, 1);
  EXPECT_STATUS(cuDeviceGetByPCIBusId(&device, "ffff:09:00.0"), cuda::kInvalidDevice);
  EXPECT_STATUS(cuDeviceGetByPCIBusId(&device, "ffff:02"), cuda::kInvalidValue);
}

TEST_F(Entries, TellsAttributes) {
  const std::map<cuda::DeviceAttribute, int> expected = {
      {cuda::kMaxThreadsPerBlock, 1024},
      {cuda::kMultiprocessorCount, 8},
      {cuda::kComputeCapabilityMajor, 9},
      {cuda::kComputeCapabilityMinor, 0},
      {cuda::kMaxSharedMemoryPerBlock, 49152},
      {cuda::kMaxSharedMemoryPerBlockOptin, 232448},
      {cuda::kWarpSize, 32},
      {cuda::kCanUse64BitStreamMemOps, 0}};
  for (const auto& [attribute, value] : expected) {
    int actual = -1;
    EXPECT_OK(cuDeviceGetAttribute(&actual, attribute, 0));
    EXPECT_EQ(actual, value) << attribute;
  }
  int value = 0;
  EXPECT_STATUS(cuDeviceGetAttribute(&value, 0, 0), cuda::kInvalidValue);
  EXPECT_STATUS(cuDeviceGetAttribute(&value, 999, 0), cuda::kInvalidValue);
  EXPECT_STATUS(cuDeviceGetAttribute(&value, cuda::kWarpSize, 7), cuda::kInvalidDevice);
  std::size_t bytes = 0;
  EXPECT_OK(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_GE(bytes, std::size_t{256} << 20);
}

TEST_F(Entries, NamesResults) {
  const char* text = nullptr;
  EXPECT_OK(cuGetErrorName(cuda::kIllegalAddress, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_OK(cuGetErrorString(cuda::kOutOfMemory, &text));
  EXPECT_STREQ(text, "out of memory");
  EXPECT_STATUS(cuGetErrorName(12345, &text), cuda::kInvalidValue);
  EXPECT_EQ(text, nullptr);
}

void* address_of(const char* name, int version, std::uint64_t flags = 0) {
  void* function = nullptr;
  int result = -1;
  EXPECT_OK(cuGetProcAddress_v2(name, &function, version, flags, &result));
  EXPECT_EQ(result, cuda::kProcAddressSuccess);
  return function;
}

TEST_F(Entries, FindsTheFormOfAVersion) {
  EXPECT_EQ(address_of("cuMemAlloc", 12000), reinterpret_cast<void*>(&cuMemAlloc_v2));
  EXPECT_EQ(address_of("cuCtxCreate", 11000), reinterpret_cast<void*>(&cuCtxCreate_v2));
  EXPECT_EQ(address_of("cuCtxCreate", 12000), reinterpret_cast<void*>(&cuCtxCreate_v3));
  EXPECT_EQ(address_of("cuCtxCreate", 13000), reinterpret_cast<void*>(&cuCtxCreate_v4));
  EXPECT_EQ(address_of("cuGraphInstantiate", 11000),
            reinterpret_cast<void*>(&cuGraphInstantiate_v2));
  EXPECT_EQ(address_of("cuGraphInstantiate", 12000),
            reinterpret_cast<void*>(&cuGraphInstantiateWithFlags));
}

TEST_F(Entries, FindsTheFormForTheThreadsOwnDefaultStream) {
  const auto flags = cuda::kProcAddressPerThreadStream;
  EXPECT_EQ(address_of("cuLaunchKernel", 12000, flags),
            reinterpret_cast<void*>(&cuLaunchKernel_ptsz));
  EXPECT_EQ(address_of("cuMemcpyHtoD", 12000, flags),
            reinterpret_cast<void*>(&cuMemcpyHtoD_v2_ptds));
  EXPECT_EQ(address_of("cuMemAlloc", 12000, flags), reinterpret_cast<void*>(&cuMemAlloc_v2));
}

TEST_F(Entries, KnowsNothingOfWhatIsNotThere) {
  int unchanged = 0;
  void* function = &unchanged;
  int result = -1;
  EXPECT_STATUS(cuGetProcAddress_v2("cuTexRefCreate", &function, 13000, 0, &result),
                cuda::kNotFound);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(result, cuda::kProcAddressNotFound);
  EXPECT_STATUS(cuGetProcAddress_v2("cuLaunchKernelEx", &function, 11000, 0, &result),
                cuda::kNotFound);
  EXPECT_EQ(result, cuda::kProcAddressVersionNotSufficient);
}

TEST_F(Entries, AreFoundInTheLoadedLibraryUnderTheirNames) {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
#define EGPU_EXPECT(name, suffix, since, body, parameters) \
  EXPECT_NE(::dlsym(library, #name #suffix), nullptr) << #name #suffix;
#define EGPU_EXPECT_P(name, suffix, since, body, per_thread, parameters) \
  EGPU_EXPECT(name, suffix, since, body, parameters)                     \
  EXPECT_NE(::dlsym(library, #name #suffix #per_thread), nullptr) << #name #suffix #per_thread;
  EGPU_EMULATED_FUNCTIONS(EGPU_EXPECT, EGPU_EXPECT_P)
#undef EGPU_EXPECT
#undef EGPU_EXPECT_P
  ::dlclose(library);
}

TEST_F(Entries, HaveNoPrivateTables) {
  const cuda::Uuid id{{0x6b, 0xd5, 0xfb, 0x6c}};
  const void* table = &id;
  testing::internal::CaptureStderr();
  EXPECT_STATUS(cuGetExportTable(&table, &id), cuda::kNotFound);
  EXPECT_EQ(table, nullptr);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("6bd5fb6c-0000"));
}

// CUDA forbids a child to use what its parent initialised; it must be able to end.
TEST_F(Entries, AreOfNoUseInAForkedChildWhichEndsNormally) {
  const pid_t child = ::fork();
  if (child == 0) std::exit(cuCtxSynchronize() == cuda::kNotInitialized ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_OK(cuCtxSynchronize());
}

TEST_F(Entries, TellHowDevicesReachEachOther) {
  constexpr int kAccessSupported = 2;  // CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED
  int value = 0;
  EXPECT_OK(cuDeviceGetP2PAttribute(&value, kAccessSupported, 0, 1));
  EXPECT_EQ(value, 1);
  EXPECT_STATUS(cuDeviceGetP2PAttribute(&value, kAccessSupported, 0, 0), cuda::kInvalidDevice);
  int major = 0;
  int minor = -1;
  EXPECT_OK(cuDeviceComputeCapability(&major, &minor, 1));
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 0);
}

}  // namespace
}  // namespace egpu::emu::driver
