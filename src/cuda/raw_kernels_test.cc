// The calls of the driver, against the double of tests/fake_driver: a raw kernel there adds 1 to
// each byte of its memory and gives its size.
#include "cuda/raw_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace egpu::cuda {
namespace {

using ::testing::HasSubstr;
using Memory = std::vector<std::byte>;

constexpr const char* kPtx = ".visible .entry egpu_raw_0() { }\n.visible .entry egpu_raw_1() { }\n";
constexpr RawLimits kLimits{.run = std::chrono::milliseconds(50)};

// A test has a process of its own where it is run by ctest; elsewhere variables must not stay.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

RawKernels opened() {
  auto kernels = RawKernels::open(FAKE_CUDA_LIBRARY);
  EXPECT_TRUE(kernels) << to_string(kernels.error());
  return *std::move(kernels);
}

RawEnding ending(const char* variable, const char* value) {
  // A context that is ruined stays so: in a process of its own.
  const RawKernels kernels = opened();
  const Variable set(variable, value);
  const auto outcomes = kernels.run(
      kPtx, std::vector<RawRun>{{.entry = "egpu_raw_0", .memory = {}}, {"egpu_raw_1", {}}},
      kLimits);
  EXPECT_TRUE(outcomes) << to_string(outcomes.error());
  EXPECT_EQ(outcomes->size(), 1U);
  return outcomes->front().ending;
}

TEST(RawKernels, RunsEachEntryOnItsMemory) {
  const std::vector<RawRun> runs = {
      {.entry = "egpu_raw_0", .memory = {std::byte{1}, std::byte{2}, std::byte{3}}},
      {.entry = "egpu_raw_1", .memory = {}},
      {.entry = "egpu_raw_0", .memory = Memory(1000, std::byte{255})}};
  const auto outcomes = opened().run(kPtx, runs, kLimits);
  ASSERT_TRUE(outcomes) << to_string(outcomes.error());
  ASSERT_EQ(outcomes->size(), 3U);
  EXPECT_EQ((*outcomes)[0].r0, 3U);
  EXPECT_EQ((*outcomes)[0].memory, (Memory{std::byte{2}, std::byte{3}, std::byte{4}}));
  EXPECT_EQ((*outcomes)[1].r0, 0U);
  EXPECT_EQ((*outcomes)[2].r0, 1000U);
  EXPECT_EQ((*outcomes)[2].memory, Memory(1000));
}

TEST(RawKernels, NamesWhatTheDriverRefuses) {
  const RawKernels kernels = opened();
  const auto image = kernels.run("nothing", {}, kLimits);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().fault, Fault::kBug);
  EXPECT_THAT(image.error().message, HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
  const auto entry =
      kernels.run(kPtx, std::vector<RawRun>{{.entry = "egpu_raw_7", .memory = {}}}, kLimits);
  ASSERT_FALSE(entry);
  EXPECT_THAT(entry.error().message, HasSubstr("cuModuleGetFunction"));
}

TEST(RawKernels, WithoutADriverSaysSo) {
  const auto kernels = RawKernels::open("/nonexistent/libcuda.so.1");
  ASSERT_FALSE(kernels);
  EXPECT_EQ(kernels.error().fault, Fault::kInput);
  EXPECT_THAT(kernels.error().message, HasSubstr("no CUDA driver can be loaded"));
  EXPECT_THAT(kernels.error().message, HasSubstr("/nonexistent/libcuda.so.1"));
  EXPECT_THAT(kernels.error().remedy, HasSubstr("egpu doctor"));
}

TEST(RawKernels, ADriverThatDoesNotStartIsAnError) {
  const Variable fails("FAKE_CUDA_FAIL_INIT", "100");
  const auto kernels = RawKernels::open(FAKE_CUDA_LIBRARY);
  ASSERT_FALSE(kernels);
  EXPECT_EQ(kernels.error().fault, Fault::kInput);
  EXPECT_THAT(kernels.error().message, HasSubstr("cuInit"));
}

TEST(RawKernels, AProgramThatNeverEndsIsTheLast) {
  EXPECT_EQ(ending("FAKE_CUDA_RAW_HANGS", "1"), RawEnding::kTooLong);
}

using RawKernelsDeathTest = ::testing::Test;

// What these do to the context cannot be undone.
TEST(RawKernelsDeathTest, FaultsAreEndings) {
  const auto ends = [](const char* status, RawEnding expected) {
    EXPECT_EXIT(std::_Exit(ending("FAKE_CUDA_RAW_ERROR", status) == expected ? 0 : 1),
                ::testing::ExitedWithCode(0), "");
  };
  ends("700", RawEnding::kWildAccess);
  ends("717", RawEnding::kWildAccess);
  ends("716", RawEnding::kMisaligned);
}

}  // namespace
}  // namespace egpu::cuda
