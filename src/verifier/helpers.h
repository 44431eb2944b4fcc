// The helpers a program may call: prototypes of those that exist on the GPU, names of the others.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace egpu::verifier {

enum class ArgumentKind : std::uint8_t {
  kUnused,
  kMap,
  kMapKey,  // key_size readable bytes of the map in the argument before
};

enum class ReturnKind : std::uint8_t { kScalar, kMapValueOrNull };

struct HelperPrototype {
  std::int32_t id = 0;  // the Linux number
  const char* name = "";
  std::array<ArgumentKind, 5> arguments{};  // r1 to r5
  ReturnKind result = ReturnKind::kScalar;
};

// Null where egpu does not have the helper.
const HelperPrototype* find_helper(std::int32_t id);

// "helper bpf_ringbuf_output (130)", "helper 9999": for messages.
std::string helper_name(std::int32_t id);

}  // namespace egpu::verifier
