#include "maps/field.h"

#include <algorithm>
#include <utility>

#include "maps/histogram.h"

namespace egpu::maps {
namespace {

bool is_character(const bpf::Btf& btf, bpf::TypeId type) {
  const auto* integer = btf.resolve_as<bpf::Int>(type);
  // clang does not set BTF_INT_CHAR: the name tells char from signed char.
  return integer != nullptr && integer->size == 1 &&
         (integer->is_char || btf.type(btf.resolve(type)).name == "char");
}

bool is_kernel(const bpf::Btf& btf, bpf::TypeId type, const bpf::Int& integer) {
  return integer.size == sizeof(std::uint32_t) && btf.has_typedef(type, "egpu_kernel_id");
}

Field unsigned_or_bytes(std::uint64_t bytes) {
  const bool number = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  return {.kind = number ? FieldKind::kUnsigned : FieldKind::kBytes, .bit_size = 8 * bytes};
}

class Describer {
 public:
  explicit Describer(const bpf::Btf& btf) : btf_(btf) {}

  // `bit_size`: 0 for the type's own size, else that of a bit-field.
  Field describe(bpf::TypeId type, std::uint64_t bit_offset, std::uint64_t bit_size) {
    ++fields_;
    if (const auto* composite = btf_.resolve_as<bpf::Composite>(type))
      return composite->is_union ? of_union(*composite, type, bit_offset)
                                 : of_struct(*composite, type, bit_offset);
    if (const auto* array = btf_.resolve_as<bpf::Array>(type))
      return of_array(*array, type, bit_offset);

    Field leaf = opaque(type, bit_offset);
    if (bit_size != 0) leaf.bit_size = bit_size;
    if (leaf.bit_size == 0 || leaf.bit_size > 64) return leaf;
    if (const auto* integer = btf_.resolve_as<bpf::Int>(type)) {
      leaf.kind = integer->is_bool                  ? FieldKind::kBool
                  : integer->is_signed              ? FieldKind::kSigned
                  : is_kernel(btf_, type, *integer) ? FieldKind::kKernel
                                                    : FieldKind::kUnsigned;
    } else if (btf_.resolve_as<bpf::Enum>(type) != nullptr) {
      leaf.kind = FieldKind::kEnum;
      leaf.type = btf_.resolve(type);
    } else if (btf_.resolve_as<bpf::Pointer>(type) != nullptr) {
      leaf.kind = FieldKind::kPointer;
    }
    return leaf;
  }

  // Variables by their names. What does not lie inside the section's `size` bytes is left out.
  Field describe_section(const bpf::DataSection& section, std::uint64_t size) {
    Field field{.kind = FieldKind::kStruct, .bit_size = 8 * size};
    for (const bpf::SectionVariable& place : section.variables) {
      const auto* variable = btf_.resolve_as<bpf::Variable>(place.variable);
      if (variable == nullptr || too_many()) continue;
      const std::uint64_t bytes = btf_.size_of(variable->type).value_or(0);
      if (bytes == 0 || place.offset > size || bytes > size - place.offset) continue;
      Field child = describe(variable->type, 8ull * place.offset, 0);
      child.name = btf_.type(place.variable).name;
      field.children.push_back(std::move(child));
    }
    std::ranges::stable_sort(field.children, {}, &Field::bit_offset);
    return field;
  }

  [[nodiscard]] bool too_many() const { return fields_ > kMaxFields; }

 private:
  Field opaque(bpf::TypeId type, std::uint64_t bit_offset) {
    return {.kind = FieldKind::kBytes,
            .bit_offset = bit_offset,
            .bit_size = 8 * btf_.size_of(type).value_or(0)};
  }

  Field of_struct(const bpf::Composite& composite, bpf::TypeId type, std::uint64_t bit_offset) {
    Field field{
        .kind = FieldKind::kStruct, .bit_offset = bit_offset, .bit_size = 8ull * composite.size};
    for (const bpf::Member& member : composite.members) {
      if (too_many()) break;
      Field child = describe(member.type, bit_offset + member.bit_offset, member.bit_size);
      if (child.bit_size == 0) continue;  // a flexible array or an empty struct
      if (!member.name.empty()) child.name = member.name;
      const bool anonymous_struct =
          member.name.empty() && child.kind == FieldKind::kStruct && !child.histogram;
      if (!anonymous_struct) {
        field.children.push_back(std::move(child));
        continue;
      }
      for (Field& grandchild : child.children) field.children.push_back(std::move(grandchild));
    }
    const bool has_slots = field.children.size() == 1 && field.children[0].name == "slots" &&
                           field.children[0].kind == FieldKind::kArray &&
                           field.children[0].children[0].kind == FieldKind::kUnsigned;
    if (has_slots) field.histogram = scale_of(btf_, type);
    return field;
  }

  Field of_union(const bpf::Composite& composite, bpf::TypeId type, std::uint64_t bit_offset) {
    for (const bpf::Member& member : composite.members)
      if (member.bit_size == 0 && btf_.size_of(member.type) == composite.size) {
        Field field = describe(member.type, bit_offset, 0);
        field.name = member.name;  // shown where the union itself has none
        return field;
      }
    return opaque(type, bit_offset);
  }

  Field of_array(const bpf::Array& array, bpf::TypeId type, std::uint64_t bit_offset) {
    Field field = opaque(type, bit_offset);
    if (is_character(btf_, array.element)) {
      field.kind = FieldKind::kText;
      return field;
    }
    field.kind = FieldKind::kArray;
    const std::uint64_t stride = 8 * btf_.size_of(array.element).value_or(0);
    for (std::uint32_t i = 0; stride != 0 && i < array.count && !too_many(); ++i)
      field.children.push_back(describe(array.element, bit_offset + i * stride, 0));
    return field;
  }

  const bpf::Btf& btf_;
  std::size_t fields_ = 0;
};

// `histograms`: where those go that shall not become leaves.
void append_leaves(const Field& field, const std::string& path, std::vector<Field>& leaves,
                   std::vector<Field>* histograms) {
  if (field.histogram && histograms != nullptr) {
    histograms->emplace_back(field).name = path;
    return;
  }
  if (field.kind != FieldKind::kStruct && field.kind != FieldKind::kArray) {
    leaves.emplace_back(field).name = path.empty() ? "value" : path;
    return;
  }
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    const Field& child = field.children[i];
    const std::string place = field.kind == FieldKind::kArray ? path + "[" + std::to_string(i) + "]"
                              : path.empty()                  ? child.name
                                                              : path + "." + child.name;
    append_leaves(child, place, leaves, histograms);
  }
}

}  // namespace

Field describe(const bpf::Btf& btf, std::optional<bpf::TypeId> type, std::uint32_t size) {
  if (!type) return unsigned_or_bytes(size);
  const auto* section = btf.resolve_as<bpf::DataSection>(*type);
  if (section == nullptr && btf.size_of(*type) != size) return unsigned_or_bytes(size);
  Describer describer(btf);
  Field field = section != nullptr ? describer.describe_section(*section, size)
                                   : describer.describe(*type, 0, 0);
  if (describer.too_many()) return {.kind = FieldKind::kBytes, .bit_size = 8ull * size};
  return field;
}

std::vector<Field> flatten(const Field& root) {
  std::vector<Field> leaves;
  append_leaves(root, "", leaves, nullptr);
  return leaves;
}

SplitFields split_histograms(const Field& root) {
  SplitFields fields;
  append_leaves(root, "", fields.leaves, &fields.histograms);
  return fields;
}

}  // namespace egpu::maps
