// Any bytes are decoded as a raw program with functions; some of its constants and calls are then
// made into addresses of an object's data, functions, callbacks and helpers, and whatever has the
// shape of a linked program is checked. So the checker sees far stranger programs than a compiler
// writes.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <variant>

#include "bpf/decode.h"
#include "bpf/subprograms.h"
#include "verifier/check.h"

namespace {

using namespace egpu;

constexpr std::array<std::int32_t, 10> kHelpers = {1, 5, 6, 7, 8, 14, 16, 164, 181, 182};

bpf::Object object() {
  bpf::Object object;
  object.maps.push_back({"array", bpf::MapType::kArray, 4, 64, 8, {}, {}});
  object.maps.push_back({"percpu", bpf::MapType::kPercpuArray, 4, 16, 4, {}, {}});
  object.maps.push_back({".data", bpf::MapType::kArray, 4, 32, 1, {}, {}});
  object.read_only.push_back({".rodata", std::vector<std::byte>(24, std::byte{3}), 8});
  object.read_only.back().bytes[15] = std::byte{0};
  object.externs = {"egpu_clock", "nobody"};
  return object;
}

// What a 16-byte load of small constants stands for: an object would say so in a relocation. Bits 0
// to 2 choose the kind, the rest the place.
void relocate(bpf::LoadImm64& load, std::uint32_t instructions) {
  const std::uint64_t place = load.value >> 3;
  if (place > 4096) return;
  switch (load.value & 7) {
    case 0:
    case 1:
      load = {bpf::Imm64Kind::kMap, load.dst, place % 3};
      break;
    case 2:
      load = {bpf::Imm64Kind::kMapData, load.dst, place % 33, 2};
      break;
    case 3:
      load = {bpf::Imm64Kind::kReadOnly, load.dst, place % 25, 0};
      break;
    case 4:
      load = {bpf::Imm64Kind::kFunction, load.dst, place % instructions};
      break;
    default:
      break;
  }
}

void relocate(std::vector<bpf::Instruction>& instructions) {
  for (bpf::Instruction& instruction : instructions) {
    if (auto* const load = std::get_if<bpf::LoadImm64>(&instruction)) {
      relocate(*load, static_cast<std::uint32_t>(instructions.size()));
    } else if (auto* const call = std::get_if<bpf::CallHelper>(&instruction)) {
      const auto number = static_cast<std::uint32_t>(call->helper) % 16;
      if (number < kHelpers.size()) {
        call->helper = kHelpers[number];
      } else if (number < 12) {
        instruction = bpf::CallExtern{number & 1};
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto decoded = bpf::decode_raw(std::as_bytes(std::span(data, size)),
                                 [](std::uint32_t) { return std::string(); });
  if (!decoded) return 0;
  bpf::Program program;
  program.instructions = std::move(decoded->instructions);
  relocate(program.instructions);
  const auto functions =
      bpf::find_subprograms(program.instructions, [](std::size_t) { return std::string(); });
  if (!functions) return 0;
  for (const bpf::Subprogram& range : *functions) program.functions.push_back({"f", range});
  program.slots = std::move(decoded->slots);
  program.source.resize(program.instructions.size());
  const bpf::Object maps = object();
  for (const bool on_gpu : {false, true}) {
    verifier::CheckLimits limits;
    limits.on_gpu = on_gpu;
    limits.visited_instructions = 20'000;
    const auto checked = verifier::check(maps, program, limits);
    if (!checked && checked.error().fault == Fault::kBug) std::abort();
  }
  return 0;
}
