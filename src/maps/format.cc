#include "maps/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "maps/histogram.h"
#include "maps/scalar.h"

namespace egpu::maps {
namespace {

Bytes bytes_of(const Field& leaf, Bytes value) {
  return value.subspan(leaf.bit_offset / 8, leaf.bit_size / 8);
}

// The array's text up to its NUL.
std::string text_of(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  return printable(text.substr(0, text.find('\0')));
}

std::string enumerator(const bpf::Btf& btf, const Field& leaf, std::uint64_t number) {
  const auto* type = btf.resolve_as<bpf::Enum>(leaf.type);
  if (type == nullptr) return std::to_string(number);
  const std::int64_t value =
      type->is_signed ? sign_extend(number, leaf.bit_size) : static_cast<std::int64_t>(number);
  for (const bpf::Enumerator& candidate : type->enumerators)
    if (candidate.value == value) return candidate.name;
  return type->is_signed ? std::to_string(value) : std::to_string(number);
}

}  // namespace

std::string format_bytes_of(Bytes bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<unsigned>(byte));
  return text;
}

const std::string* kernel_name(const Names& names, const Field& leaf, Bytes value) {
  if (leaf.kind != FieldKind::kKernel) return nullptr;
  const std::uint64_t id = load_bits(value, leaf.bit_offset, leaf.bit_size);
  return id < names.kernels.size() ? &names.kernels[id] : nullptr;
}

std::string format_leaf(const Names& names, const Field& leaf, Bytes value) {
  if (const std::string* kernel = kernel_name(names, leaf, value)) return *kernel;
  if (leaf.kind == FieldKind::kText) return text_of(bytes_of(leaf, value));
  if (leaf.kind == FieldKind::kBytes) return format_bytes_of(bytes_of(leaf, value));
  const std::uint64_t number = load_bits(value, leaf.bit_offset, leaf.bit_size);
  switch (leaf.kind) {
    case FieldKind::kSigned:
      return std::to_string(sign_extend(number, leaf.bit_size));
    case FieldKind::kBool:
      return number != 0 ? "true" : "false";
    case FieldKind::kEnum:
      return enumerator(names.btf, leaf, number);
    case FieldKind::kPointer:
      return fmt::format("{:#x}", number);
    default:
      return std::to_string(number);
  }
}

bool is_zero(const Field& leaf, Bytes value) {
  if (leaf.kind != FieldKind::kText && leaf.kind != FieldKind::kBytes)
    return load_bits(value, leaf.bit_offset, leaf.bit_size) == 0;
  return std::ranges::all_of(bytes_of(leaf, value),
                             [](std::byte byte) { return byte == std::byte{0}; });
}

nlohmann::ordered_json histogram_to_json(const Scale& scale, std::span<const std::uint64_t> slots) {
  const auto bound = [](const std::optional<std::uint64_t>& number) {
    return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
  };
  auto buckets = nlohmann::ordered_json::array();
  for (const Bucket& bucket : buckets_of(scale, slots))
    buckets.push_back(
        {{"first", bound(bucket.first)}, {"last", bound(bucket.last)}, {"count", bucket.count}});
  return {{"histogram", scale.width == 0 ? "log2" : "linear"}, {"buckets", std::move(buckets)}};
}

nlohmann::ordered_json value_to_json(const Names& names, const Field& field, Bytes value) {
  if (field.histogram) return histogram_to_json(*field.histogram, slots_of(field, value));
  switch (field.kind) {
    case FieldKind::kStruct: {
      auto object = nlohmann::ordered_json::object();
      for (const Field& child : field.children) {
        object[child.name] = value_to_json(names, child, value);
        if (const std::string* kernel = kernel_name(names, child, value))
          object[child.name + "_name"] = *kernel;
      }
      return object;
    }
    case FieldKind::kArray: {
      auto array = nlohmann::ordered_json::array();
      for (const Field& child : field.children) array.push_back(value_to_json(names, child, value));
      return array;
    }
    case FieldKind::kUnsigned:
    case FieldKind::kKernel:
      return load_bits(value, field.bit_offset, field.bit_size);
    case FieldKind::kSigned:
      return sign_extend(load_bits(value, field.bit_offset, field.bit_size), field.bit_size);
    case FieldKind::kBool:
      return load_bits(value, field.bit_offset, field.bit_size) != 0;
    default:
      return format_leaf(names, field, value);
  }
}

}  // namespace egpu::maps
