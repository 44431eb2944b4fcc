// Random programs that the checker accepts, by the running kernel and by the host JIT: both must
// give the same number and leave the same bytes in their map.
//   EGPU_RANDOM_PROGRAMS=N   how many (2000)
//   EGPU_RANDOM_SEED=N       the seed of the first (1); each program has the next one
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bpf/disassemble.h"
#include "codegen/host_object.h"
#include "kernel_program.h"
#include "random_program.h"
#include "verifier/check.h"

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

// What a run leaves behind.
struct Outcome {
  std::uint32_t result = 0;  // r0's low half
  std::vector<std::byte> memory;
  bool operator==(const Outcome&) const = default;
};

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string to_string(const Outcome& outcome) {
  return fmt::format("{:#x}, memory {}", outcome.result, hex(outcome.memory));
}

Result<Outcome> run_in_kernel(const bpf::Object& object) {
  EGPU_ASSIGN(const KernelProgram program, KernelProgram::load(object));
  EGPU_ASSIGN(const std::uint32_t result, program.run());
  EGPU_ASSIGN(std::vector<std::byte> memory, program.memory());
  return Outcome{result, std::move(memory)};
}

Result<Outcome> run_on_host(const bpf::Object& object,
                            const std::vector<verifier::CheckedProgram>& checked,
                            codegen::Optimization optimization) {
  EGPU_ASSIGN(const codegen::HostObject compiled, codegen::jit(object, checked, optimization));
  const auto result = static_cast<std::uint32_t>(compiled.run(0, {}));
  const Bytes memory = Bytes(compiled.map(0)).first(kMemoryBytes);
  return Outcome{result, {memory.begin(), memory.end()}};
}

TEST(KernelAgreement, RandomProgramsGiveTheSame) {
  if (const std::string reason = why_no_kernel_programs(); !reason.empty()) GTEST_SKIP() << reason;
  const std::uint64_t first = setting("EGPU_RANDOM_SEED", 1);
  const std::uint64_t count = setting("EGPU_RANDOM_PROGRAMS", 2'000);
  std::size_t instructions = 0;
  std::uint64_t seed = first;
  std::uint64_t refused = 0;
  for (std::uint64_t compared = 0; compared < count; ++seed) {
    const bpf::Object object = make_random_program(seed);
    const bpf::Program& program = object.programs[0];
    const auto checked = verifier::check(object, program);
    if (!checked) {
      // Each is a program with many paths; who refuses others finds out here.
      ASSERT_NE(checked.error().message.find("too many paths"), std::string::npos)
          << "seed " << seed << ": " << to_string(checked.error()) << "\n"
          << listing(program.instructions);
      ASSERT_LT(++refused, 1 + count / 10) << "the checker refuses too much";
      continue;
    }
    ++compared;
    instructions += program.instructions.size();
    const auto expected = run_in_kernel(object);
    ASSERT_TRUE(expected) << "seed " << seed << ": " << to_string(expected.error()) << "\n"
                          << listing(program.instructions);
    // Every other program unoptimised: what the optimiser removes is executed there.
    const auto optimization =
        seed % 2 == 0 ? codegen::Optimization::kFull : codegen::Optimization::kNone;
    const auto result = run_on_host(object, {*checked}, optimization);
    ASSERT_TRUE(result) << "seed " << seed << ": " << to_string(result.error());
    ASSERT_EQ(*result, *expected) << "seed " << seed << "\nhost   " << to_string(*result)
                                  << "\nkernel " << to_string(*expected) << "\n"
                                  << listing(program.instructions);
  }
  fmt::print("{} programs of {} instructions, seeds {} to {}; {} more had too many paths\n", count,
             instructions, first, seed - 1, refused);
}

}  // namespace
}  // namespace egpu
