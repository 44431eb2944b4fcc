// The same facts on what the installed nvcc writes. Skipped where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "fatbin/cubin.h"
#include "fatbin/fatbin.h"
#include "support/toolkit.h"

namespace egpu::fatbin {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kSource[] = R"(
extern "C" __global__ void vec_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
static __global__ void hidden(float* a) { a[0] = 1; }
__device__ __noinline__ float helper(float x) { return x * 3; }
__global__ void caller(float* a) { a[0] = helper(a[1]); }
int main() {
  hidden<<<1, 1>>>(nullptr);
  // A device link drops kernels that nobody launches.
  vec_add<<<1, 1>>>(nullptr, nullptr, nullptr, 0);
}
)";

class Nvcc : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvcc_.empty()) GTEST_SKIP() << "no nvcc here";
    std::ofstream(folder_ / "k.cu") << kSource;
  }

  // What nvcc writes with these options; empty where it fails.
  std::vector<std::byte> compile(const std::string& options) {
    const auto output = folder_ / "out";
    std::filesystem::remove(output);
    std::vector<std::string> command = {nvcc_};
    std::istringstream words(options);
    for (std::string word; words >> word;) command.push_back(word);
    command.insert(command.end(), {"-o", output, folder_ / "k.cu"});
    const auto outcome = toolkit::run(command);
    EXPECT_EQ(outcome.status, 0) << options << '\n' << outcome.output;
    auto content = read_file(output);
    EXPECT_TRUE(content);
    return content ? *std::move(content) : std::vector<std::byte>{};
  }

 private:
  const std::filesystem::path nvcc_ = toolkit::find_tool("nvcc");
  const toolkit::TemporaryFolder folder_;
};

constexpr char kBoth[] = "-gencode arch=compute_90,code=[sm_90,compute_90] ";

TEST_F(Nvcc, EveryCompressionModeGivesTheSameContent) {
  std::vector<Compression> seen;
  for (const std::string mode :
       {"-no-compress", "-Xfatbin -compress-all", "--compress-mode=size", "--compress-mode=speed",
        "--compress-mode=balance", "--compress-mode=none"}) {
    SCOPED_TRACE(mode);
    const auto bytes = compile("-fatbin " + mode + " " + kBoth);
    const auto image = parse_image(bytes);
    ASSERT_TRUE(image) << to_string(image.error());
    ASSERT_EQ(image->members.size(), 2u);
    const Member* cubin = member_for(*image, {9, 0});
    ASSERT_NE(cubin, nullptr);
    const auto code = decompress(*cubin);
    ASSERT_TRUE(code) << to_string(code.error());
    EXPECT_THAT(*cubin_kernels(*code),
                UnorderedElementsAre("vec_add", "_Z6callerPf", "_Z6hiddenPf"));
    const Member* ptx = ptx_for(*image, *cubin);
    ASSERT_NE(ptx, nullptr);
    const auto text = decompress(*ptx);
    ASSERT_TRUE(text) << to_string(text.error());
    EXPECT_THAT(std::string(as_text(*text)), HasSubstr(".visible .entry vec_add("));
    EXPECT_TRUE(as_text(*text).ends_with('\n'));
    seen.push_back(ptx->compression);
  }
  EXPECT_THAT(seen, Contains(Compression::kNone));
  EXPECT_THAT(seen, Contains(Compression::kZstd));
}

TEST_F(Nvcc, ArchitectureSuffixes) {
  const auto bytes = compile(
      "-fatbin -gencode arch=compute_90,code=sm_90 -gencode "
      "arch=compute_90a,code=[sm_90a,compute_90a] "
      "-gencode arch=compute_80,code=[sm_80,compute_80]");
  const auto image = parse_image(bytes);
  ASSERT_TRUE(image) << to_string(image.error());
  std::vector<std::string> names;
  for (const Member& member : image->members) names.push_back(architecture_name(member));
  EXPECT_THAT(names, UnorderedElementsAre("sm_90", "sm_90a", "compute_90a", "sm_80", "compute_80"));
}

TEST_F(Nvcc, ACubinNamesThePtxItWasMadeFrom) {
  const auto bytes = compile("-cubin -gencode arch=compute_80,code=sm_90");
  EXPECT_EQ(parse_image(bytes)->members.at(0).architecture, 90u);
  EXPECT_EQ(virtual_architecture(bytes), 80u);
}

TEST_F(Nvcc, RelocatableCodeAndLtoIrAreDeclined) {
  const auto relocatable = compile(std::string("-fatbin -rdc=true ") + kBoth);
  const auto image = parse_image(relocatable);
  ASSERT_TRUE(image) << to_string(image.error());
  ASSERT_EQ(image->members.size(), 2u);
  for (const Member& member : image->members)
    EXPECT_THAT(member.unsupported.value_or(""), HasSubstr("relocatable"));

  const auto lto = compile("-fatbin -arch=lto_90 -rdc=true");
  const auto lto_image = parse_image(lto);
  ASSERT_TRUE(lto_image) << to_string(lto_image.error());
  ASSERT_EQ(lto_image->members.size(), 1u);
  EXPECT_THAT(lto_image->members[0].unsupported.value_or(""), HasSubstr("LTO-IR"));
}

TEST_F(Nvcc, ProgramsHoldOneFatbinForEachWrapper) {
  for (const std::string options : {"-arch=sm_90", "-arch=sm_90 -rdc=true"}) {
    SCOPED_TRACE(options);
    const auto program = compile(options);
    const auto fatbins = fatbins_in_elf(program);
    ASSERT_TRUE(fatbins) << to_string(fatbins.error());
    ASSERT_FALSE(fatbins->empty());
    std::vector<std::string> kernels;
    for (const Bytes fatbin : *fatbins) {
      const auto image = parse_image(fatbin);
      ASSERT_TRUE(image) << to_string(image.error());
      const Member* member = member_for(*image, {9, 0});
      if (member == nullptr || member->kind != MemberKind::kCubin) continue;
      const auto code = decompress(*member);
      ASSERT_TRUE(code) << to_string(code.error());
      const auto names = cubin_kernels(*code);
      ASSERT_TRUE(names) << to_string(names.error());
      kernels.insert(kernels.end(), names->begin(), names->end());
    }
    EXPECT_THAT(kernels, Contains("vec_add"));
  }
}

}  // namespace
}  // namespace egpu::fatbin
