// Random programs by the running kernel and by the host JIT.
#include <gtest/gtest.h>

#include "kernel_program.h"
#include "random_agreement.h"
#include "verifier/assembled.h"
#include "verifier/check.h"
#include "verifier/ring_programs.h"

namespace egpu {
namespace {

Result<Outcome> run_in_kernel(const bpf::Object& object,
                              const std::vector<verifier::CheckedProgram>&) {
  EGPU_ASSIGN(const KernelProgram program, KernelProgram::load(object));
  EGPU_ASSIGN(const std::uint32_t result, program.run());
  EGPU_ASSIGN(std::vector<std::byte> memory, program.memory());
  return Outcome{result, std::move(memory)};
}

// What its verifier says to programs with a ring buffer. Callbacks need BTF, which these have not.
TEST(KernelAgreement, RingProgramsAreJudgedAlike) {
  if (const std::string reason = why_no_kernel_programs(); !reason.empty()) GTEST_SKIP() << reason;
  for (const verifier::testing::RingProgram& program : verifier::testing::ring_programs()) {
    if (program.text.contains("= function")) continue;
    bpf::Object object;
    object.maps = verifier::testing::ring_program_maps();
    object.programs.push_back(verifier::testing::assembled(program.text));
    const auto loaded = KernelProgram::load(object);
    EXPECT_EQ(loaded.has_value(), program.kernel_accepts)
        << program.name << (loaded ? "" : to_string(loaded.error()));
  }
}

TEST(KernelAgreement, RandomProgramsGiveTheSame) {
  if (const std::string reason = why_no_kernel_programs(); !reason.empty()) GTEST_SKIP() << reason;
  expect_agreement("kernel", run_in_kernel, 2'000);
}

}  // namespace
}  // namespace egpu
