// The NVML stand-in, beside the driver stand-in in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "emu/driver/api.h"
#include "emu/nvml/nvml_types.h"

namespace egpu::emu::nvml {
namespace {

class Nvml : public testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("EGPU_EMULATOR_DEVICES", "2", 1); }
  void SetUp() override { ASSERT_EQ(nvmlInit_v2(), kSuccess); }
  void TearDown() override { EXPECT_EQ(nvmlShutdown(), kSuccess); }

  static Device device(unsigned index) {
    Device found = nullptr;
    EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(index, &found), kSuccess);
    return found;
  }
};

TEST_F(Nvml, WantsToBeInitialised) {
  EXPECT_EQ(nvmlShutdown(), kSuccess);
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), kUninitialized);
  EXPECT_EQ(nvmlDeviceGetPowerUsage(), kUninitialized);
  EXPECT_EQ(nvmlShutdown(), kUninitialized);
  EXPECT_EQ(nvmlInit(), kSuccess);
}

TEST_F(Nvml, TellsDevices) {
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), kSuccess);
  EXPECT_EQ(count, 2U);
  Device none = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(2, &none), kInvalidArgument);
  char name[64];
  EXPECT_EQ(nvmlDeviceGetName(device(1), name, sizeof name), kSuccess);
  EXPECT_STREQ(name, "egpu emulator");
  EXPECT_EQ(nvmlDeviceGetName(device(1), name, 3), kInsufficientSize);
  EXPECT_EQ(nvmlDeviceGetName(nullptr, name, sizeof name), kInvalidArgument);
  unsigned index = 9;
  EXPECT_EQ(nvmlDeviceGetIndex(device(1), &index), kSuccess);
  EXPECT_EQ(index, 1U);
  int major = 0;
  int minor = 1;
  EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device(0), &major, &minor), kSuccess);
  EXPECT_EQ(major * 10 + minor, 90);
  int version = 0;
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(&version), kSuccess);
  EXPECT_EQ(version, 13000);
}

TEST_F(Nvml, FindsDevicesByWhatTheDriverSaysOfThem) {
  ASSERT_EQ(driver::api::cuInit(0), cuda::kSuccess);
  char id[32];
  ASSERT_EQ(driver::api::cuDeviceGetPCIBusId(id, sizeof id, 1), cuda::kSuccess);
  Device found = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(id, &found), kSuccess);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("FFFF:02:00.0", &found), kSuccess);
  EXPECT_EQ(found, device(1));
  cuda::Uuid uuid{};
  ASSERT_EQ(driver::api::cuDeviceGetUuid_v2(&uuid, 1), cuda::kSuccess);
  char text[80];
  ASSERT_EQ(nvmlDeviceGetUUID(device(1), text, sizeof text), kSuccess);
  std::string digits;
  for (const unsigned char byte : uuid.bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    digits += two;
  }
  std::string plain = std::string(text).substr(4);
  std::erase(plain, '-');
  EXPECT_EQ(plain, digits);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(text, &found), kSuccess);
  EXPECT_EQ(found, device(1));
  EXPECT_EQ(nvmlDeviceGetHandleByUUID("GPU-0", &found), kNotFound);
}

// What callers of the older forms give ends before the last member.
TEST_F(Nvml, FillsTheStructureOfEachVersion) {
  PciInfo whole{};
  ASSERT_EQ(nvmlDeviceGetPciInfo_v3(device(1), &whole), kSuccess);
  EXPECT_STREQ(whole.bus_id, "0000ffff:02:00.0");
  PciInfo shorter{};
  std::memset(shorter.bus_id, 'x', sizeof shorter.bus_id);
  ASSERT_EQ(nvmlDeviceGetPciInfo_v2(device(1), &shorter), kSuccess);
  EXPECT_STREQ(shorter.legacy_bus_id, "ffff:02:00.0");
  EXPECT_THAT(shorter.bus_id, testing::Each('x'));
}

TEST_F(Nvml, KnowsTheMemoryInUse) {
  ASSERT_EQ(driver::api::cuInit(0), cuda::kSuccess);
  Memory before{};
  ASSERT_EQ(nvmlDeviceGetMemoryInfo(device(1), &before), kSuccess);
  cuda::Context context = nullptr;
  ASSERT_EQ(driver::api::cuCtxCreate_v2(&context, 0, 1), cuda::kSuccess);
  cuda::DevicePointer address = 0;
  ASSERT_EQ(driver::api::cuMemAlloc_v2(&address, 1 << 20), cuda::kSuccess);
  MemoryV2 after{.version = kMemoryV2, .total = 0, .reserved = 0, .free = 0, .used = 0};
  ASSERT_EQ(nvmlDeviceGetMemoryInfo_v2(device(1), &after), kSuccess);
  EXPECT_EQ(after.used, before.used + (1 << 20));
  EXPECT_EQ(after.free + after.used, after.total);
  std::size_t total = 0;
  ASSERT_EQ(driver::api::cuDeviceTotalMem_v2(&total, 1), cuda::kSuccess);
  EXPECT_EQ(after.total, total);
  EXPECT_EQ(driver::api::cuCtxDestroy_v2(context), cuda::kSuccess);
  after.version = 1;
  EXPECT_EQ(nvmlDeviceGetMemoryInfo_v2(device(1), &after), kVersionMismatch);
}

TEST_F(Nvml, DoesNotTellWhatEmulatedDevicesDoNotHave) {
  EXPECT_EQ(nvmlDeviceGetPowerUsage(), kNotSupported);
  EXPECT_EQ(nvmlDeviceGetUtilizationRates(), kNotSupported);
  EXPECT_THAT(nvmlErrorString(kNotSupported), testing::HasSubstr("not supported"));
}

}  // namespace
}  // namespace egpu::emu::nvml
