#include "bpf/btf.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

Result<std::optional<TypeId>> Btf::place_section(
    std::string_view name, std::uint32_t size,
    const std::function<std::optional<std::uint64_t>(std::string_view variable)>& offset_of) {
  const auto found = std::ranges::find_if(types_, [&](const Type& type) {
    return type.name == name && std::holds_alternative<DataSection>(type.shape);
  });
  if (found == types_.end()) return std::optional<TypeId>();
  auto& section = std::get<DataSection>(found->shape);
  std::vector<SectionVariable> variables;
  for (const SectionVariable& entry : section.variables) {
    const Type& declared = type(entry.variable);
    const auto offset = offset_of(declared.name);
    if (!offset) continue;
    constexpr std::uint64_t kNoSize = ~std::uint64_t{0};  // fits no section
    const auto* const variable = std::get_if<Variable>(&declared.shape);
    const std::uint64_t bytes = variable ? size_of(variable->type).value_or(kNoSize) : kNoSize;
    if (*offset > size || bytes > size - *offset) {
      return input_error(fmt::format("variable {} does not fit section {}", declared.name, name))
          .at("section .BTF")
          .hint("compile the program again with clang -target bpf -g");
    }
    variables.push_back({.variable = entry.variable,
                         .offset = static_cast<std::uint32_t>(*offset),
                         .size = static_cast<std::uint32_t>(bytes)});
  }
  std::ranges::sort(variables, {}, &SectionVariable::offset);
  section.variables = std::move(variables);
  section.size = size;
  const auto index = static_cast<std::size_t>(found - types_.begin());
  sizes_[index] = size;
  return std::optional(TypeId{static_cast<std::uint32_t>(index + 1)});
}

std::optional<std::string_view> Btf::string_at(std::uint32_t offset) const {
  return c_string_at(as_bytes(strings_), offset);
}

}  // namespace egpu::bpf
