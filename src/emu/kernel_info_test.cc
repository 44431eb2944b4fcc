#include <gtest/gtest.h>

#include "emu/test_kernel.h"

namespace egpu::emu {
namespace {

// Registers of a kernel that declares `declared` of 32 bits.
std::uint32_t registers_of(std::string_view directives, unsigned declared) {
  TestKernel kernel(".entry k() " + std::string(directives) + " { .reg .b32 %r<" +
                    std::to_string(declared) + ">; ret; }");
  const KernelInfo* const info = kernel.module().info("k");
  EXPECT_NE(info, nullptr);
  return info != nullptr ? info->registers : 0;
}

TEST(KernelInfo, CountsRegistersAsDeclared) {
  EXPECT_EQ(registers_of("", 20), 20U);
  EXPECT_EQ(registers_of(".maxntid 1024", 20), 20U);
}

TEST(KernelInfo, TakesNoMoreRegistersThanLetTheLargestBlockRun) {
  EXPECT_EQ(registers_of("", 1000), 64U);
  EXPECT_EQ(registers_of(".maxntid 256", 1000), 255U);
  EXPECT_EQ(registers_of(".maxntid 384", 1000), 168U);
  EXPECT_EQ(registers_of(".maxntid 320", 1000), 168U);
  EXPECT_EQ(registers_of(".maxntid 16, 16, 2", 1000), 128U);
  EXPECT_EQ(registers_of(".reqntid 600", 1000), 96U);
}

TEST(KernelInfo, TakesNoMoreRegistersThanDirectivesAllow) {
  EXPECT_EQ(registers_of(".maxntid 256 .minnctapersm 4", 1000), 64U);
  EXPECT_EQ(registers_of(".maxntid 128 .maxnreg 40", 1000), 40U);
}

}  // namespace
}  // namespace egpu::emu
