// Whatever decodes must survive printing, encoding and decoding unchanged.
#include <cstdint>
#include <cstdlib>

#include "bpf/decode.h"
#include "bpf/disassemble.h"
#include "bpf/encode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egpu::bpf;
  const auto place = [](std::uint32_t) { return std::string(); };
  const MapReference map{0, 1};  // in half of the inputs the first instruction loads a map
  const bool with_map = size % 16 == 8;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto program = decode(bytes, std::span(&map, with_map ? 1 : 0), place);
  if (!program) return 0;
  for (const Instruction& instruction : program->instructions) {
    if (to_string(instruction).empty()) std::abort();
  }
  const auto encoded = encode(program->instructions);
  if (!encoded) std::abort();
  const auto again = decode(encoded->code, encoded->maps, place);
  if (!again || again->instructions != program->instructions) std::abort();
  return 0;
}
