#include "maps/histogram.h"

#include <algorithm>
#include <string_view>

#include "maps/scalar.h"

namespace egpu::maps {
namespace {

constexpr std::size_t kLog2Slots = 64;

// How a type carries a number: the N of a member `__u8 name[0][N]`, which takes no room.
std::optional<std::uint64_t> constant_in(const bpf::Btf& btf, const bpf::Composite& composite,
                                         std::string_view name) {
  const auto member = std::ranges::find(composite.members, name, &bpf::Member::name);
  if (member == composite.members.end()) return {};
  const auto* none = btf.resolve_as<bpf::Array>(member->type);
  if (none == nullptr || none->count != 0) return {};
  const auto* constant = btf.resolve_as<bpf::Array>(none->element);
  return constant == nullptr ? std::optional<std::uint64_t>() : constant->count;
}

Bucket log2_bucket(std::size_t slot) {
  if (slot == 0) return {.first = 0, .last = 0};
  const std::uint64_t first = std::uint64_t{1} << (slot - 1);
  if (slot + 1 >= kLog2Slots) return {.first = first, .last = {}};
  return {.first = first, .last = 2 * first - 1};
}

Bucket linear_bucket(const Scale& scale, std::size_t slot, std::size_t slots) {
  if (slot == 0) return {.first = {}, .last = scale.first == 0 ? 0 : scale.first - 1};
  const std::uint64_t first = scale.first + (slot - 1) * scale.width;
  if (slot + 1 == slots) return {.first = first, .last = {}};
  return {.first = first, .last = first + scale.width - 1};
}

}  // namespace

std::optional<Scale> scale_of(const bpf::Btf& btf, bpf::TypeId type) {
  const auto* composite = btf.resolve_as<bpf::Composite>(type);
  if (composite == nullptr || composite->is_union) return {};
  if (btf.type(btf.resolve(type)).name == "egpu_log2_hist") return Scale{};
  const auto first = constant_in(btf, *composite, "egpu_linear_first");
  const auto width = constant_in(btf, *composite, "egpu_linear_width");
  if (!first || !width || *width == 0) return {};
  return Scale{.width = *width, .first = *first};
}

bool is_log2_array(const bpf::Btf& btf, const bpf::MapDefinition& map) {
  return bpf::is_array(map.type) && map.key_type &&
         btf.has_typedef(*map.key_type, "egpu_log2_slot") &&
         describe(btf, map.value_type, map.value_size).kind == FieldKind::kUnsigned;
}

std::vector<Bucket> buckets_of(const Scale& scale, std::span<const std::uint64_t> slots) {
  std::vector<Bucket> buckets;
  std::size_t filled = 0;  // up to the last one that is not zero
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot] == 0 && buckets.empty()) continue;
    Bucket bucket = scale.width == 0 ? log2_bucket(std::min(slot, kLog2Slots - 1))
                                     : linear_bucket(scale, slot, slots.size());
    bucket.count = slots[slot];
    buckets.push_back(bucket);
    if (slots[slot] != 0) filled = buckets.size();
  }
  buckets.resize(filled);
  return buckets;
}

std::vector<std::uint64_t> slots_of(const Field& histogram, Bytes value) {
  std::vector<std::uint64_t> slots;
  for (const Field& slot : histogram.children[0].children)
    slots.push_back(load_bits(value, slot.bit_offset, slot.bit_size));
  return slots;
}

}  // namespace egpu::maps
