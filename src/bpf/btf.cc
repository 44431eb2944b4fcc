#include "bpf/btf.h"

namespace egpu::bpf {

const Type& Btf::type(TypeId id) const {
  static const Type void_type{};
  return id.value == 0 || id.value > types_.size() ? void_type : types_[id.value - 1];
}

TypeId Btf::resolve(TypeId id) const {
  while (const auto* alias = std::get_if<Alias>(&type(id).shape)) id = alias->target;
  return id;
}

std::optional<std::uint64_t> Btf::size_of(TypeId id) const {
  if (id.value == 0 || id.value > sizes_.size()) return std::nullopt;
  return sizes_[id.value - 1];
}

bool Btf::has_typedef(TypeId id, std::string_view name) const {
  while (const auto* alias = std::get_if<Alias>(&type(id).shape)) {
    if (alias->kind == AliasKind::kTypedef && type(id).name == name) return true;
    id = alias->target;
  }
  return false;
}

const DataSection* Btf::find_section(std::string_view name) const {
  for (const Type& type : types_) {
    const auto* section = std::get_if<DataSection>(&type.shape);
    if (section != nullptr && type.name == name) return section;
  }
  return nullptr;
}

std::optional<std::string_view> Btf::string_at(std::uint32_t offset) const {
  return c_string_at(as_bytes(strings_), offset);
}

}  // namespace egpu::bpf
