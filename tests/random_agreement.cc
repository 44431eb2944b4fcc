#include "random_agreement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "bpf/disassemble.h"
#include "codegen/host_object.h"
#include "random_cases.h"
#include "random_program.h"

namespace egpu {
namespace {

std::string listing(const std::vector<bpf::Instruction>& instructions) {
  std::string text;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    text += fmt::format("{:4}: {}\n", i, bpf::to_string(instructions[i]));
  return text;
}

std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::string to_string(const Outcome& outcome) {
  return fmt::format("{:#x}, memory {}", outcome.result, hex(outcome.memory));
}

Result<Outcome> run_on_host(const bpf::Object& object,
                            const std::vector<verifier::CheckedProgram>& checked,
                            codegen::Optimization optimization) {
  EGPU_ASSIGN(const codegen::HostObject compiled, codegen::jit(object, checked, optimization));
  const auto result = static_cast<std::uint32_t>(compiled.run(0, {}));
  const Bytes memory = Bytes(compiled.map(0)).first(kMemoryBytes);
  return Outcome{result, {memory.begin(), memory.end()}};
}

}  // namespace

void expect_agreement(const char* name, const Engine& engine, std::uint64_t count) {
  const RandomCases cases(count);
  std::size_t instructions = 0;
  std::uint64_t seed = cases.first_seed();
  std::uint64_t compared = 0;
  std::uint64_t refused = 0;
  for (; !cases.enough(compared); ++seed) {
    const bpf::Object object = make_random_program(seed);
    const bpf::Program& program = object.programs[0];
    const auto checked = verifier::check(object, program);
    if (!checked) {
      // Each is a program with many paths; who refuses others finds out here.
      ASSERT_NE(checked.error().message.find("too many paths"), std::string::npos)
          << "seed " << seed << ": " << to_string(checked.error()) << "\n"
          << listing(program.instructions);
      ++refused;
      ASSERT_LE(refused, 1 + (seed - cases.first_seed()) / 10) << "the checker refuses too much";
      continue;
    }
    ++compared;
    instructions += program.instructions.size();
    const auto expected = engine(object, {*checked});
    ASSERT_TRUE(expected) << "seed " << seed << ": " << to_string(expected.error()) << "\n"
                          << listing(program.instructions);
    // Every other program unoptimised: what the optimiser removes is executed there.
    const auto optimization =
        seed % 2 == 0 ? codegen::Optimization::kFull : codegen::Optimization::kNone;
    const auto result = run_on_host(object, {*checked}, optimization);
    ASSERT_TRUE(result) << "seed " << seed << ": " << to_string(result.error());
    ASSERT_EQ(*result, *expected) << "seed " << seed << "\nhost: " << to_string(*result) << "\n"
                                  << name << ": " << to_string(*expected) << "\n"
                                  << listing(program.instructions);
  }
  fmt::print("{} programs of {} instructions, seeds {} to {}; {} more had too many paths\n",
             compared, instructions, cases.first_seed(), seed - 1, refused);
}

}  // namespace egpu
