// BTF: the types of an eBPF object, as clang -g writes them into the section .BTF.
// Format: Documentation/bpf/btf.rst of the Linux kernel.
//
// What parse() accepts is safe to walk: every TypeId inside a type exists, chains of typedefs and
// types that hold others by value end within kMaxTypeNesting steps, members and their bytes lie
// inside their struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace egpu::bpf {

inline constexpr std::uint32_t kMaxTypeNesting = 64;

struct TypeId {
  std::uint32_t value = 0;  // 0 is void
  bool operator==(const TypeId&) const = default;
};

struct Void {};

struct Int {
  std::uint32_t size = 0;  // bytes: 1, 2, 4, 8 or 16
  std::uint8_t bits = 0;   // at most 8 * size
  bool is_signed = false;
  bool is_char = false;
  bool is_bool = false;
};

struct Float {
  std::uint32_t size = 0;
};

struct Pointer {
  TypeId target;
};

struct Array {
  TypeId element;
  std::uint32_t count = 0;
};

struct Member {
  std::string name;  // empty: anonymous struct or union
  TypeId type;
  std::uint32_t bit_offset = 0;  // from the start of the struct
  std::uint32_t bit_size = 0;    // 0: not a bit-field
};

struct Composite {  // struct or union
  bool is_union = false;
  std::uint32_t size = 0;
  std::vector<Member> members;
};

struct Enumerator {
  std::string name;
  std::int64_t value = 0;  // the bit pattern where the enum is unsigned
};

struct Enum {  // ENUM and ENUM64
  std::uint32_t size = 0;
  bool is_signed = false;
  std::vector<Enumerator> enumerators;
};

struct Forward {  // declared, never defined
  bool is_union = false;
};

// Another name or a qualifier for `target`.
enum class AliasKind : std::uint8_t { kTypedef, kConst, kVolatile, kRestrict, kTypeTag };
struct Alias {
  AliasKind kind = AliasKind::kTypedef;
  TypeId target;
};

struct Function {
  TypeId prototype;
};

struct Parameter {
  std::string name;
  TypeId type;
};

struct FunctionPrototype {
  TypeId result;
  std::vector<Parameter> parameters;
};

struct Variable {
  TypeId type;
};

struct SectionVariable {
  TypeId variable;
  std::uint32_t offset = 0;  // provisional until Btf::place_section()
  std::uint32_t size = 0;
};

struct DataSection {
  std::uint32_t size = 0;  // provisional, too
  std::vector<SectionVariable> variables;
};

struct DeclarationTag {
  TypeId target;
};

struct Type {
  std::string name;  // empty: anonymous
  std::variant<Void, Int, Float, Pointer, Array, Composite, Enum, Forward, Alias, Function,
               FunctionPrototype, Variable, DataSection, DeclarationTag>
      shape;
};

class Btf {
 public:
  Btf() = default;  // no type but void

  // `section_untrusted`: the contents of .BTF. Errors name the type and its offset.
  static Result<Btf> parse(Bytes section_untrusted);

  // Types have the ids 1 to count(); id 0 and ids that do not exist are void.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(types_.size()); }
  [[nodiscard]] const Type& type(TypeId id) const;

  // `id` without typedefs and qualifiers around it.
  [[nodiscard]] TypeId resolve(TypeId id) const;

  // The shape of resolve(id), if it is a Shape.
  template <class Shape>
  [[nodiscard]] const Shape* resolve_as(TypeId id) const {
    return std::get_if<Shape>(&type(resolve(id)).shape);
  }

  // Bytes; nothing for void, functions, forward declarations and sections without a place.
  [[nodiscard]] std::optional<std::uint64_t> size_of(TypeId id) const;

  // Whether a typedef called `name` is among the typedefs around `id`: `egpu_kernel_id` says that a
  // number is a kernel, through `typedef egpu_kernel_id my_key` too.
  [[nodiscard]] bool has_typedef(TypeId id, std::string_view name) const;

  // The DATASEC called `name` (".maps"), or null.
  [[nodiscard]] const DataSection* find_section(std::string_view name) const;

  // Compilers leave the size of a DATASEC and the offsets of its variables to the symbol table,
  // and count some as members that have become constants of another section. Gives the DATASEC
  // called `name`, if there is one, its size and its variables their places, sorted; those for
  // which `offset_of` has nothing are dropped. The DATASEC's type; an Error where a variable does
  // not fit.
  Result<std::optional<TypeId>> place_section(
      std::string_view name, std::uint32_t size,
      const std::function<std::optional<std::uint64_t>(std::string_view variable)>& offset_of);

  // A string of the string table, which .BTF.ext shares; nothing where there is none at `offset`.
  [[nodiscard]] std::optional<std::string_view> string_at(std::uint32_t offset) const;

 private:
  friend class BtfParser;

  std::vector<Type> types_;                          // types_[i] has id i + 1
  std::vector<std::optional<std::uint64_t>> sizes_;  // of types_[i]
  std::string strings_;
};

}  // namespace egpu::bpf
