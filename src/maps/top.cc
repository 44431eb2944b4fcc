#include "maps/top.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "maps/histogram.h"
#include "maps/scalar.h"

namespace egpu::maps {
namespace {

bool has_keys(const bpf::Object& object, const bpf::MapDefinition& map) {
  return !bpf::is_queue(map.type) && !is_data_section(map) && !is_log2_array(object.btf, map);
}

// The field by which values are compared.
std::optional<Field> number_in(const Field& root) {
  const SplitFields fields = split_histograms(root);
  const auto leaf = std::ranges::find_if(fields.leaves, [](const Field& field) {
    return field.kind == FieldKind::kUnsigned || field.kind == FieldKind::kSigned;
  });
  if (leaf != fields.leaves.end()) return *leaf;
  if (fields.histograms.empty()) return {};
  return fields.histograms.front();
}

std::uint64_t number_of(const Field& field, Bytes value) {
  if (field.histogram) {
    const std::vector<std::uint64_t> slots = slots_of(field, value);
    return std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
  }
  const std::uint64_t bits = load_bits(value, field.bit_offset, field.bit_size);
  return field.kind == FieldKind::kSigned
             ? static_cast<std::uint64_t>(sign_extend(bits, field.bit_size))
             : bits;
}

bool is_larger(std::uint64_t a, std::uint64_t b, bool is_signed) {
  return is_signed ? static_cast<std::int64_t>(a) > static_cast<std::int64_t>(b) : a > b;
}

}  // namespace

std::optional<Rest> keep_largest(const bpf::Object& object, const bpf::MapDefinition& map,
                                 std::size_t count, Entries& entries) {
  if (entries.entries.size() <= count || !has_keys(object, map)) return {};
  Rest rest{.entries = entries.entries.size() - count};
  if (const auto field = number_in(value_fields(object, map))) {
    rest.field = field->name.empty() ? "value" : field->name;
    rest.is_signed = field->kind == FieldKind::kSigned;
    std::vector<std::pair<std::uint64_t, Entry>> ranked;
    ranked.reserve(entries.entries.size());
    for (Entry& entry : entries.entries) {
      const std::uint64_t number = number_of(*field, entry.value);
      ranked.emplace_back(number, std::move(entry));
    }
    std::ranges::stable_sort(ranked, [&](const auto& a, const auto& b) {
      return is_larger(a.first, b.first, rest.is_signed);
    });
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      if (i >= count) rest.sum += ranked[i].first;
      entries.entries[i] = std::move(ranked[i].second);
    }
  }
  entries.entries.resize(count);
  return rest;
}

}  // namespace egpu::maps
