// Programs with ;sample=1/N in the executor: the blocks they fire in are those that anybody can
// work out afterwards.
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "codegen/generate.h"
#include "device/portable.h"
#include "emu/launch.h"
#include "probed_module.h"
#include "verifier/check.h"

namespace egpu {
namespace {

constexpr std::string_view kApplication =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
constexpr std::uint32_t kBlocks = 4096;
constexpr std::uint32_t kThreads = 48;

struct Block {  // of tests/programs/sampled.bpf.c
  std::uint64_t threads, ends;
};

TEST(Sample, IsWhatTheHashSays) {
  const auto file = read_file(EGPU_BINARY_DIR "/tests/programs/sampled.bpf.o");
  ASSERT_TRUE(file) << to_string(file.error());
  const auto object = bpf::load_object(*file, "sampled.bpf.o");
  ASSERT_TRUE(object) << to_string(object.error());
  std::vector<verifier::CheckedProgram> checked;
  for (const bpf::Program& program : object->programs)
    checked.push_back(verifier::check(*object, program).value());
  const auto probes = codegen::generate(*object, checked);
  ASSERT_TRUE(probes) << to_string(probes.error());
  const auto ptx = add_probes(kApplication, probes->ptx, *object);
  ASSERT_TRUE(ptx) << to_string(ptx.error());

  std::uint32_t in_both = 0;
  for (const std::uint64_t launch : {5, 6}) {
    emu::Memory memory(1 << 22);
    const auto module = ProbedModule::load(*ptx, *object, memory);
    ASSERT_TRUE(module) << to_string(module.error());
    const auto fault =
        emu::launch(**module->kernel("k"), memory, {},
                    {.grid = {kBlocks, 1, 1}, .block = {kThreads, 1, 1}, .grid_id = launch});
    ASSERT_FALSE(fault) << to_string(*fault);
    std::uint32_t sampled = 0;
    for (std::uint32_t number = 0; number < kBlocks; ++number) {
      Block block{};
      std::memcpy(&block, module->map(0).data() + number * sizeof(Block), sizeof(Block));
      const bool expected = egpu_is_sample(launch, number, 8) != 0;
      ASSERT_EQ(block.threads, expected ? kThreads * 8 : 0) << "block " << number;
      ASSERT_EQ(block.ends, expected ? 1 : 0) << "block " << number;
      sampled += expected ? 1 : 0;
      in_both += expected && egpu_is_sample(11 - launch, number, 8) != 0 ? 1 : 0;
    }
    // 4096 / 8 = 512, with a standard deviation of 21.
    EXPECT_NEAR(sampled, 512, 85);
  }
  EXPECT_NEAR(in_both, 2 * 64, 2 * 32) << "launches have samples of their own";
}

}  // namespace
}  // namespace egpu
