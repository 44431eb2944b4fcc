// Histograms among the fields of a value: structs whose slots count numbers by their size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "bpf/btf.h"
#include "bpf/object.h"
#include "maps/field.h"

namespace egpu::maps {

// What the struct's slots count, where it is a histogram: struct egpu_log2_hist, or one of
// EGPU_LINEAR_HIST.
std::optional<Scale> scale_of(const bpf::Btf& btf, bpf::TypeId type);

// Whether the map is an array whose elements are the slots of one histogram by powers of two.
bool is_log2_array(const bpf::Btf& btf, const bpf::MapDefinition& map);

// Counts of the numbers from `first` to `last`, both included; nothing: no bound on that side.
struct Bucket {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;
  std::uint64_t count = 0;
};

// From the first slot that is not zero to the last one: none where all are.
std::vector<Bucket> buckets_of(const Scale& scale, std::span<const std::uint64_t> slots);

// The counts in a value's histogram.
std::vector<std::uint64_t> slots_of(const Field& histogram, Bytes value);

}  // namespace egpu::maps
