// Prints which instructions occur in case files, for scripts/check-isa-cases:
//   isa_coverage FILE...
// One line for each instruction of each case: "runs KEY" or, where the case expects a refusal,
// "refused KEY". A key is the opcode and whatever else tells instructions of that opcode apart.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "base/bytes.h"
#include "bpf/decode.h"
#include "bpf/encoding.h"
#include "bpf/isa_cases.h"

namespace egpu::isa {
namespace {

bool is_alu(const bpf::RawSlot& slot) {
  return slot.instruction_class() == bpf::kClassAlu32 ||
         slot.instruction_class() == bpf::kClassAlu64;
}

std::string key(const bpf::RawSlot& slot) {
  std::string opcode = fmt::format("{:02x}", slot.opcode);
  const std::uint8_t operation = slot.opcode & bpf::kOperationMask;
  if (is_alu(slot) && operation == bpf::kOperationEnd)
    return fmt::format("{} imm={}", opcode, slot.imm);
  if (is_alu(slot) && slot.offset != 0) return fmt::format("{} offset={}", opcode, slot.offset);
  if (slot.instruction_class() == bpf::kClassStx &&
      (slot.opcode & bpf::kModeMask) == bpf::kModeAtomic)
    return fmt::format("{} imm={:#04x}", opcode, slot.imm);
  const bool is_call = slot.opcode == (bpf::kClassJmp | bpf::kOperationCall);
  if (is_call || slot.opcode == bpf::kOpcodeLoadImm64)
    return fmt::format("{} src={}", opcode, slot.src());
  return opcode;
}

void print_instructions(const bpf::IsaCase& test) {
  const char* const outcome = test.refusal.empty() ? "runs" : "refused";
  std::size_t offset = 0;
  while (const auto slot = read_at<bpf::RawSlot>(test.code, offset)) {
    fmt::print("{} {}\n", outcome, key(*slot));
    offset += (slot->opcode == bpf::kOpcodeLoadImm64 ? 2 : 1) * bpf::kSlotBytes;
  }
}

int run(int count, char** files) {
  for (int i = 1; i < count; ++i) {
    const auto cases = bpf::load_isa_cases(files[i]);
    if (!cases) {
      fmt::print(stderr, "{}\n", to_string(cases.error()));
      return 1;
    }
    for (const bpf::IsaCase& test : *cases) print_instructions(test);
  }
  return 0;
}

}  // namespace
}  // namespace egpu::isa

int main(int argc, char** argv) { return egpu::isa::run(argc, argv); }
