// Values as text and as JSON, by their types.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/bytes.h"
#include "bpf/btf.h"
#include "maps/field.h"

namespace egpu::maps {

// What numbers are called. A view: both outlive it.
struct Names {
  const bpf::Btf& btf;
  std::span<const std::string> kernels = {};  // by their ids
};

// One leaf of `value` (maps/field.h): 42, -1, true, ENUMERATOR, the name of a kernel, text without
// control characters, 0x7f00 for pointers, "0a 0b" for bytes.
std::string format_leaf(const Names& names, const Field& leaf, Bytes value);

// Of a kernel's number; null where it has none, and for other leaves.
const std::string* kernel_name(const Names& names, const Field& leaf, Bytes value);

// "0a 0b": bytes of no known type.
std::string format_bytes_of(Bytes bytes);

// Whether all bits of the leaf are zero.
bool is_zero(const Field& leaf, Bytes value);

// The whole value: structs are objects, arrays arrays, numbers and flags themselves, histograms
// their buckets, everything else a string. A kernel's number has its name beside it, as a member
// "NAME_name".
nlohmann::ordered_json value_to_json(const Names& names, const Field& field, Bytes value);

// {"histogram": "log2" | "linear", "buckets": [{"first", "last", "count"}]}; first and last are
// included, null where there is no bound.
nlohmann::ordered_json histogram_to_json(const Scale& scale, std::span<const std::uint64_t> slots);

}  // namespace egpu::maps
