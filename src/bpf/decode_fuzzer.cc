// Whatever decodes must survive encoding and decoding, and printing and assembling, unchanged.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpf/assemble.h"
#include "bpf/decode.h"
#include "bpf/disassemble.h"
#include "bpf/encode.h"

namespace egpu::bpf {
namespace {

std::string no_place(std::uint32_t) { return {}; }

void expect(bool holds) {
  if (!holds) std::abort();
}

void round_trip_object_code(Bytes code, std::span<const Reference> references) {
  const auto program = decode(code, references, no_place);
  if (!program) return;
  const auto encoded = encode(program->instructions);
  expect(encoded.has_value());
  const auto again = decode(encoded->code, encoded->references, no_place);
  expect(again && again->instructions == program->instructions);
}

void round_trip_raw_code(Bytes code) {
  const auto program = decode_raw(code, no_place);
  if (!program) return;
  const auto encoded = encode(program->instructions);
  expect(encoded && std::ranges::equal(encoded->code, code));
  std::string text;
  for (const Instruction& instruction : program->instructions)
    text += to_string(instruction) + "\n";
  const auto assembled = assemble(text);
  expect(assembled && *assembled == program->instructions);
}

}  // namespace
}  // namespace egpu::bpf

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egpu::bpf;
  // In half of the inputs the first instruction has a reference; the last byte says of which kind.
  const auto kind = static_cast<ReferenceKind>(size == 0 ? 0 : data[size - 1] % 5);
  const Reference reference{.slot = 0, .kind = kind, .index = 1, .value = 8};
  const auto bytes = std::as_bytes(std::span(data, size));
  round_trip_object_code(bytes, std::span(&reference, size % 16 == 8 ? 1 : 0));
  round_trip_raw_code(bytes);
  return 0;
}
