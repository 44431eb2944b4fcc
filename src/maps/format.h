// Values as text and as JSON, by their types.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/bytes.h"
#include "bpf/btf.h"
#include "maps/field.h"

namespace egpu::maps {

// One leaf of `value` (maps/field.h): 42, -1, true, ENUMERATOR, text without control characters,
// 0x7f00 for pointers, "0a 0b" for bytes.
std::string format_leaf(const bpf::Btf& btf, const Field& leaf, Bytes value);

// "0a 0b": bytes of no known type.
std::string format_bytes_of(Bytes bytes);

// Whether all bits of the leaf are zero.
bool is_zero(const Field& leaf, Bytes value);

// The whole value: structs are objects, arrays arrays, numbers and flags themselves, everything
// else a string.
nlohmann::ordered_json value_to_json(const bpf::Btf& btf, const Field& field, Bytes value);

}  // namespace egpu::maps
