// Random programs as probes in the emulator and by the host JIT.
#include <gtest/gtest.h>

#include <cstring>

#include "codegen/generate.h"
#include "emu/launch.h"
#include "probed_module.h"
#include "random_agreement.h"
#include "random_program.h"

namespace egpu {
namespace {

constexpr std::string_view kApplication =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";

// Runs the program in one thread. A probe's r0 is nobody's: the program leaves it in the map too.
Result<Outcome> run_in_emulator(const bpf::Object& object,
                                const std::vector<verifier::CheckedProgram>& checked) {
  EGPU_ASSIGN(const auto probes, codegen::generate(object, checked));
  EGPU_ASSIGN(const std::string ptx, add_probes(kApplication, probes.ptx, object));
  emu::Memory memory(1 << 20);
  EGPU_ASSIGN(const ProbedModule module, ProbedModule::load(ptx, object, memory));
  EGPU_ASSIGN(const emu::Kernel* const kernel, module.kernel("k"));
  if (const auto fault = emu::launch(*kernel, memory, {}, {.budget = 1 << 20}))
    return input_error(to_string(*fault));
  const Bytes bytes = Bytes(module.map(0)).first(kMemoryBytes);
  Outcome outcome{.memory = {bytes.begin(), bytes.end()}};
  std::memcpy(&outcome.result, bytes.data(), sizeof(outcome.result));
  return outcome;
}

TEST(EmulatorAgreement, RandomProgramsGiveTheSame) {
  expect_agreement("emulator", run_in_emulator, 500);
}

}  // namespace
}  // namespace egpu
