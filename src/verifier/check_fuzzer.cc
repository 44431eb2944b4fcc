// Any bytes are decoded as a program with one map; whatever decodes is checked. So the checker sees
// far stranger programs than a compiler writes.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "bpf/decode.h"
#include "bpf/encoding.h"
#include "verifier/check.h"

namespace {

using namespace egpu;

// A 16-byte load of the constant 0 stands for the map: an object would say so in a relocation.
std::vector<bpf::Reference> references(Bytes code) {
  std::vector<bpf::Reference> maps;
  for (std::uint32_t slot = 0; slot + 1 < code.size() / bpf::kSlotBytes; ++slot) {
    const auto raw = read_at<bpf::RawSlot>(code, std::uint64_t{slot} * bpf::kSlotBytes);
    if (raw->opcode != bpf::kOpcodeLoadImm64) continue;
    if (raw->imm == 0) maps.push_back({.slot = slot, .kind = bpf::ReferenceKind::kMap, .index = 0});
    ++slot;
  }
  return maps;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes code = std::as_bytes(std::span(data, size));
  const auto decoded =
      bpf::decode(code, references(code), [](std::uint32_t) { return std::string(); });
  if (!decoded) return 0;
  bpf::Object object;
  object.maps.push_back({"array", bpf::MapType::kArray, 4, 64, 8, {}, {}});
  bpf::Program program;
  program.instructions = decoded->instructions;
  program.slots = decoded->slots;
  program.source.resize(program.instructions.size());
  verifier::CheckLimits limits;
  limits.visited_instructions = 20'000;
  const auto checked = verifier::check(object, program, limits);
  if (!checked && checked.error().fault == Fault::kBug) std::abort();
  return 0;
}
