#include "device/device_runtime.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace egpu::device {
namespace {

TEST(DeviceRuntime, IsWholeBitcode) {
  const Bytes bitcode = device_runtime_bitcode();
  EXPECT_EQ(read_at<std::uint32_t>(bitcode, 0), 0xdec04342U);  // "BC", 0xC0DE
  EXPECT_EQ(bitcode.size() % 4, 0U);                           // the format is a stream of words
}

TEST(DeviceRuntime, NamesTheFunctionsOfTheContract) {
  const std::string_view text = as_text(device_runtime_bitcode());
  for (const char* name :
       {"egpu_array_element", "egpu_percpu_array_element", "egpu_reduce_add_32",
        "egpu_fetch_xor_64", "egpu_fetch_exchange_32", "egpu_compare_exchange_64"})
    EXPECT_NE(text.find(name), std::string_view::npos) << name;
}

TEST(DeviceRuntime, HoldsNoPathOfTheBuildMachine) {
  EXPECT_EQ(as_text(device_runtime_bitcode()).find(EGPU_SOURCE_DIR), std::string_view::npos);
}

}  // namespace
}  // namespace egpu::device
