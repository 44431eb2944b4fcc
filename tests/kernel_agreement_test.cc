// Random programs by the running kernel and by the host JIT.
#include <gtest/gtest.h>

#include "kernel_program.h"
#include "random_agreement.h"

namespace egpu {
namespace {

Result<Outcome> run_in_kernel(const bpf::Object& object,
                              const std::vector<verifier::CheckedProgram>&) {
  EGPU_ASSIGN(const KernelProgram program, KernelProgram::load(object));
  EGPU_ASSIGN(const std::uint32_t result, program.run());
  EGPU_ASSIGN(std::vector<std::byte> memory, program.memory());
  return Outcome{result, std::move(memory)};
}

TEST(KernelAgreement, RandomProgramsGiveTheSame) {
  if (const std::string reason = why_no_kernel_programs(); !reason.empty()) GTEST_SKIP() << reason;
  expect_agreement("kernel", run_in_kernel, 2'000);
}

}  // namespace
}  // namespace egpu
