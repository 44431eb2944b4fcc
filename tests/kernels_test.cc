// The programs of tests/kernels print under the emulator what a GPU printed (recorded in
// tests/kernels/expected by scripts/gpu/emulator), and with probes at entry and exit the same,
// while as many threads end as begin. CUB and Thrust take minutes to compile: here a part of them
// runs; on the GPU machine, and where EGPU_ALL_KERNELS is set, all of them.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "emulator_run.h"
#include "support/kernel_results.h"
#include "support/toolkit.h"

namespace egpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKernels = EGPU_SOURCE_DIR "/tests/kernels";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kKernels))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem());
  std::ranges::sort(names);
  return names;
}

bool is_slow(std::string_view program) {
  const bool library = program.starts_with("cub_") || program == "thrust";
  return library && program != "cub_block" && program != "cub_scan";
}

Result<std::vector<KernelResult>> recorded(const fs::path& path) {
  EGPU_ASSIGN(const auto bytes, read_file(path));
  return parse_kernel_results(
      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

class Kernels : public ::testing::TestWithParam<std::string>, public testing::EmulatorRun {
 protected:
  void SetUp() override {
    nvcc_ = toolkit::find_tool("nvcc");
    if (nvcc_.empty()) GTEST_SKIP() << "no CUDA toolkit (nvcc) here";
    if (is_slow(GetParam()) && getenv("EGPU_ALL_KERNELS") == nullptr)
      GTEST_SKIP() << "takes long to compile; EGPU_ALL_KERNELS=1 runs it";
  }

  // PTX alone: the emulator wants no machine code.
  toolkit::Outcome compile() const {
    const fs::path folder(kKernels);
    return toolkit::run({nvcc_, "--options-file", folder / "nvcc.options", "-gencode",
                         "arch=compute_90,code=compute_90", "-o", program_,
                         folder / (GetParam() + ".cu")});
  }

  void expect_same_with_probes(const toolkit::Outcome& without) const {
    const toolkit::Outcome with =
        toolkit::run(observed(EGPU_BINARY_DIR "/tests/programs/lifetimes.bpf.o", {program_}));
    EXPECT_EQ(with.status, 0);
    EXPECT_THAT(with.output, ::testing::HasSubstr(without.output));
    EXPECT_GT(count("begun"), 0U);
    EXPECT_EQ(count("ended"), count("begun"));
  }

  fs::path nvcc_;
  std::string program_ = file("program");
};

TEST_P(Kernels, ComputeWhatTheyComputeOnTheGpu) {
  const toolkit::Outcome compiled = compile();
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  const toolkit::Outcome outcome = toolkit::run(plain({program_}));
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  expect_same_with_probes(outcome);
  const auto actual = parse_kernel_results(outcome.output);
  ASSERT_TRUE(actual.has_value()) << to_string(actual.error());

  const fs::path path = fs::path(kKernels) / "expected" / (GetParam() + ".txt");
  if (!fs::exists(path)) GTEST_SKIP() << "no results of a GPU are recorded";
  const auto expected = recorded(path);
  ASSERT_TRUE(expected.has_value()) << to_string(expected.error());
  const auto comparison = compare_kernel_results(*expected, *actual);
  ASSERT_TRUE(comparison.has_value()) << to_string(comparison.error());
  EXPECT_GT(comparison->cases, 0U);
  for (const std::string& difference : comparison->differences) ADD_FAILURE() << difference;
}

INSTANTIATE_TEST_SUITE_P(Programs, Kernels, ::testing::ValuesIn(programs()),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace egpu
