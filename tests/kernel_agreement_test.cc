// Random programs by the running kernel and by the host JIT: both must give the same number.
//   EGPU_RANDOM_PROGRAMS=N   how many (2000)
//   EGPU_RANDOM_SEED=N       the seed of the first (1); each program has the next one
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bpf/decode.h"
#include "bpf/disassemble.h"
#include "bpf/encode.h"
#include "codegen/host_jit.h"
#include "kernel_program.h"
#include "random_program.h"

namespace egpu {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view view(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  EXPECT_TRUE(error == std::errc{} && end == view.data() + view.size()) << name << "=" << view;
  return value;
}

std::string listing(const std::vector<bpf::Instruction>& instructions) {
  std::string text;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    text += fmt::format("{:4}: {}\n", i, bpf::to_string(instructions[i]));
  return text;
}

Result<std::uint32_t> run_in_kernel(const RandomProgram& program) {
  EGPU_ASSIGN(const bpf::EncodedProgram encoded, bpf::encode(program.instructions));
  EGPU_ASSIGN(const KernelProgram loaded, KernelProgram::load(encoded.code));
  return loaded.run(program.packet);
}

Result<std::uint32_t> run_on_host(const RandomProgram& program,
                                  codegen::Optimization optimization) {
  const bpf::SlotPlace place = [](std::uint32_t slot) { return fmt::format("slot {}", slot); };
  EGPU_ASSIGN(const bpf::EncodedProgram encoded,
              bpf::encode(with_packet_in_r1(program.instructions)));
  EGPU_ASSIGN(const bpf::DecodedProgram decoded, bpf::decode_raw(encoded.code, place));
  EGPU_ASSIGN(const codegen::HostProgram compiled, codegen::jit(decoded, place, optimization));
  std::vector<std::byte> packet = program.packet;
  return static_cast<std::uint32_t>(compiled(packet.data(), packet.size()));
}

TEST(KernelAgreement, RandomProgramsGiveTheSame) {
  if (const std::string reason = why_no_kernel_programs(); !reason.empty()) GTEST_SKIP() << reason;
  const std::uint64_t first = setting("EGPU_RANDOM_SEED", 1);
  const std::uint64_t count = setting("EGPU_RANDOM_PROGRAMS", 2'000);
  std::size_t instructions = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomProgram program = make_random_program(seed);
    instructions += program.instructions.size();
    const auto expected = run_in_kernel(program);
    ASSERT_TRUE(expected) << "seed " << seed << ": " << to_string(expected.error()) << "\n"
                          << listing(program.instructions);
    // Every other program unoptimised: what the optimiser removes is executed there.
    const auto optimization =
        seed % 2 == 0 ? codegen::Optimization::kFull : codegen::Optimization::kNone;
    const auto result = run_on_host(program, optimization);
    ASSERT_TRUE(result) << "seed " << seed << ": " << to_string(result.error());
    ASSERT_EQ(*result, *expected) << "seed " << seed << "\n" << listing(program.instructions);
  }
  RecordProperty("programs", std::to_string(count));
  RecordProperty("instructions", std::to_string(instructions));
}

}  // namespace
}  // namespace egpu
