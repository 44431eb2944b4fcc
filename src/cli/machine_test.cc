#include "cli/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/temporary_tree.h"

namespace egpu::cli {
namespace {

using Variables = std::map<std::string, std::string>;

Machine machine_at(const TemporaryTree& tree, const Variables& variables = {}) {
  return {
      .root = tree.root(), .architecture = "x86_64", .environment = [variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      }};
}

TEST(Machine, ReadsEitherWordingOfTheDriversVersion) {
  const TemporaryTree closed;
  closed.add(
      "proc/driver/nvidia/version",
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Thu Oct  2 00:00:00 UTC 2025\n"
      "GCC version:  gcc version 12.2.0\n");
  EXPECT_EQ(driver_version(machine_at(closed)), "580.159.04");

  const TemporaryTree open;
  open.add("proc/driver/nvidia/version",
           "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  535.54  Release Build\n");
  EXPECT_EQ(driver_version(machine_at(open)), "535.54");

  const TemporaryTree none;
  EXPECT_EQ(driver_version(machine_at(none)), std::nullopt);
}

TEST(Machine, ListsGpusInOrderOfTheirNumbers) {
  const TemporaryTree tree;
  for (const char* node :
       {"dev/nvidia10", "dev/nvidia2", "dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia0"})
    tree.add(node);
  tree.add("proc/driver/nvidia/gpus/0000:0a:00.0/information",
           "Model: \t\t NVIDIA H200\nIRQ: 17\n");
  const Machine machine = machine_at(tree);
  EXPECT_TRUE(has_gpu(machine));
  EXPECT_THAT(gpu_nodes(machine),
              testing::ElementsAre("/dev/nvidia0", "/dev/nvidia2", "/dev/nvidia10"));
  EXPECT_THAT(gpu_models(machine), testing::ElementsAre("NVIDIA H200"));
}

TEST(Machine, FindsLibrariesInTheLinkersOrder) {
  const TemporaryTree tree;
  tree.add("odd/place/libcuda.so.1");
  tree.add("usr/lib64/libcuda.so.1");
  EXPECT_EQ(find_library(machine_at(tree), "libcuda.so.1"), "/usr/lib64/libcuda.so.1");
  using namespace std::string_literals;
  tree.add("etc/ld.so.cache",
           "glibc-ld.so.cache1.1\0/gone/libcuda.so.1\0libcuda.so.1\0/odd/place/libcuda.so.1\0"s);
  EXPECT_EQ(find_library(machine_at(tree), "libcuda.so.1"), "/odd/place/libcuda.so.1");
  tree.add("first/libcuda.so.1");
  EXPECT_EQ(
      find_library(machine_at(tree, {{"LD_LIBRARY_PATH", "/nothing:/first"}}), "libcuda.so.1"),
      "/first/libcuda.so.1");
}

TEST(Machine, FindsOnlyExecutablePrograms) {
  const TemporaryTree tree;
  tree.add("a/ptxas");
  tree.add_executable("b/ptxas");
  EXPECT_EQ(find_program(machine_at(tree, {{"PATH", "/a:/b"}}), {"ptxas"}), "/b/ptxas");
  EXPECT_EQ(find_program(machine_at(tree, {{"PATH", "/a"}}), {"ptxas"}), std::nullopt);
}

TEST(Machine, VersionsStopAtTheFirstOddCharacter) {
  EXPECT_EQ(leading_version("6.1.0-42-amd64"), (std::array{6u, 1u}));
  EXPECT_EQ(leading_version("535"), (std::array{535u, 0u}));
  EXPECT_EQ(leading_version(""), (std::array{0u, 0u}));
}

}  // namespace
}  // namespace egpu::cli
