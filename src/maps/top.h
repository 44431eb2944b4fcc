// The largest entries of a map that has keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bpf/object.h"
#include "maps/field.h"
#include "maps/values.h"

namespace egpu::maps {

// Entries that were left out, and what their numbers add up to.
struct Rest {
  std::uint64_t entries = 0;
  std::string field = {};  // the number by which entries were compared; empty: values have none
  std::uint64_t sum = 0;   // of that number, modulo 2^64; in two's complement where it is signed
  bool is_signed = false;
};

// Leaves the `count` largest entries in `entries`, the largest first, equal ones in key order. They
// are compared by the first number in their value; where there is none but a histogram, by what
// that counted; else the first ones stay. Nothing where all could stay or the map has no keys: a
// queue, a section of data, an array that is one histogram.
std::optional<Rest> keep_largest(const bpf::Object& object, const bpf::MapDefinition& map,
                                 std::size_t count, Entries& entries);

}  // namespace egpu::maps
