// For tests: the driver with two devices and a context of its own for each test, linked as a
// program links it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "emu/driver/api.h"

namespace egpu::emu::driver {

// NOLINTNEXTLINE(google-build-using-namespace)
using namespace api;

// The name of a result, so that a failed expectation says it.
inline std::string name_of(Status status) {
  const char* name = nullptr;
  return cuGetErrorName(status, &name) == cuda::kSuccess ? name : std::to_string(status);
}

#define EXPECT_STATUS(call, expected) \
  EXPECT_EQ(::egpu::emu::driver::name_of(call), ::egpu::emu::driver::name_of(expected)) << #call
#define EXPECT_OK(call) EXPECT_STATUS(call, ::egpu::cuda::kSuccess)
#define ASSERT_OK(call)                                                                       \
  ASSERT_EQ(::egpu::emu::driver::name_of(call), ::egpu::emu::driver::name_of(cuda::kSuccess)) \
      << #call

// Addresses of managed memory are the host's too, and some calls take numbers in pointers.
inline void* as_pointer(std::uint64_t value) {
  return reinterpret_cast<void*>(value);  // NOLINT(performance-no-int-to-ptr)
}

class DriverTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("EGPU_EMULATOR_DEVICES", "2", 1);
    ::setenv("EGPU_EMULATOR_BUDGET", "10000000", 1);
    ASSERT_OK(cuInit(0));
  }
  void SetUp() override { ASSERT_OK(cuCtxCreate_v2(&context_, 0, 0)); }
  void TearDown() override { EXPECT_OK(cuCtxDestroy_v2(context_)); }

  static DevicePointer allocate(std::size_t bytes) {
    DevicePointer address = 0;
    EXPECT_OK(cuMemAlloc_v2(&address, bytes));
    return address;
  }
  template <class T>
  static DevicePointer upload(const std::vector<T>& values) {
    const DevicePointer address = allocate(values.size() * sizeof(T));
    EXPECT_OK(cuMemcpyHtoD_v2(address, values.data(), values.size() * sizeof(T)));
    return address;
  }
  template <class T>
  static std::vector<T> download(DevicePointer address, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_OK(cuMemcpyDtoH_v2(values.data(), address, count * sizeof(T)));
    return values;
  }

  cuda::Context context_ = nullptr;
};

// Work in a stream that does not end before the test lets it.
class Gate {
 public:
  explicit Gate(cuda::Stream stream) {
    EXPECT_OK(cuLaunchHostFunc(stream, hold, new std::shared_ptr(open_)));
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() { *open_ = true; }

 private:
  // Outlives the gate, which does not wait for it.
  static void hold(void* data) {
    const std::unique_ptr<std::shared_ptr<std::atomic<bool>>> open(
        static_cast<std::shared_ptr<std::atomic<bool>>*>(data));
    while (!**open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace egpu::emu::driver
