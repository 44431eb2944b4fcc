// Btf::parse(): one pass decodes the records, a second checks references and computes sizes.
#include <fmt/format.h>

#include <utility>

#include "bpf/btf.h"

namespace egpu::bpf {
namespace {

constexpr std::uint16_t kMagic = 0xeb9f;
constexpr std::uint64_t kMaxTypeBytes = std::uint64_t{1} << 32;

struct Header {
  std::uint16_t magic;
  std::uint8_t version;
  std::uint8_t flags;
  std::uint32_t header_bytes;
  std::uint32_t type_offset;  // this and the next: from the end of the header
  std::uint32_t type_bytes;
  std::uint32_t string_offset;
  std::uint32_t string_bytes;
};
static_assert(sizeof(Header) == 24);

struct RawType {
  std::uint32_t name;
  std::uint32_t info;
  std::uint32_t size_or_type;

  [[nodiscard]] std::uint32_t count() const { return info & 0xffff; }
  [[nodiscard]] std::uint32_t kind() const { return info >> 24 & 0x1f; }
  [[nodiscard]] bool flag() const { return (info >> 31) != 0; }
};

enum Kind : std::uint32_t {
  kInt = 1,
  kPointer,
  kArray,
  kStruct,
  kUnion,
  kEnum,
  kForward,
  kTypedef,
  kVolatile,
  kConst,
  kRestrict,
  kFunction,
  kFunctionPrototype,
  kVariable,
  kDataSection,
  kFloat,
  kDeclarationTag,
  kTypeTag,
  kEnum64,
};

}  // namespace

class BtfParser {
 public:
  explicit BtfParser(Bytes section) : section_(section) {}

  Result<Btf> parse() {
    EGPU_TRY(read_header());
    while (offset_ < types_.size()) {
      record_offset_ = offset_;
      EGPU_ASSIGN(Type type, read_type());
      btf_.types_.push_back(std::move(type));
      offsets_.push_back(record_offset_);
    }
    EGPU_TRY(lay_out());
    return std::move(btf_);
  }

 private:
  enum class State : std::uint8_t { kNew, kActive, kDone };

  [[nodiscard]] Error damaged(std::string what) const {
    return input_error(std::move(what))
        .at(fmt::format("section .BTF, type record at offset {:#x}", record_offset_))
        .hint("compile the program again with clang -target bpf -g");
  }

  Result<void> read_header() {
    const auto header = read_at<Header>(section_, 0);
    if (!header) return damaged("the header is cut off");
    if (header->magic != kMagic) return damaged("not little-endian BTF: wrong magic number");
    if (header->version != 1) {
      return damaged(fmt::format("BTF version {} is not supported", header->version));
    }
    const std::uint64_t body = header->header_bytes;
    const auto types = slice(section_, body + header->type_offset, header->type_bytes);
    const auto strings = slice(section_, body + header->string_offset, header->string_bytes);
    if (body < sizeof(Header) || !types || !strings) {
      return damaged("the header points outside the section");
    }
    types_ = *types;
    btf_.strings_ = as_text(*strings);
    return {};
  }

  template <class T>
  Result<T> take() {
    const auto value = read_at<T>(types_, offset_);
    if (!value) return damaged("the type is cut off");
    offset_ += sizeof(T);
    return *value;
  }

  Result<std::string> name_at(std::uint32_t offset) const {
    if (offset == 0) return std::string();
    const auto name = btf_.string_at(offset);
    if (!name) return damaged(fmt::format("name offset {:#x} is outside the strings", offset));
    return std::string(*name);
  }

  Result<Type> read_type() {
    EGPU_ASSIGN(const auto raw, take<RawType>());
    Type type;
    EGPU_ASSIGN(type.name, name_at(raw.name));
    const TypeId target{raw.size_or_type};
    switch (raw.kind()) {
      case kInt: {
        EGPU_ASSIGN(type.shape, read_int(raw));
        break;
      }
      case kFloat:
        type.shape = Float{raw.size_or_type};
        break;
      case kPointer:
        type.shape = Pointer{target};
        break;
      case kArray: {
        struct Raw {
          std::uint32_t element, index, count;
        };
        EGPU_ASSIGN(const auto array, take<Raw>());
        type.shape = Array{{array.element}, array.count};
        break;
      }
      case kStruct:
      case kUnion: {
        EGPU_ASSIGN(type.shape, read_composite(raw));
        break;
      }
      case kEnum: {
        EGPU_ASSIGN(type.shape, read_enum(raw));
        break;
      }
      case kEnum64: {
        EGPU_ASSIGN(type.shape, read_enum64(raw));
        break;
      }
      case kForward:
        type.shape = Forward{raw.flag()};
        break;
      case kTypedef:
        type.shape = Alias{AliasKind::kTypedef, target};
        break;
      case kVolatile:
        type.shape = Alias{AliasKind::kVolatile, target};
        break;
      case kConst:
        type.shape = Alias{AliasKind::kConst, target};
        break;
      case kRestrict:
        type.shape = Alias{AliasKind::kRestrict, target};
        break;
      case kTypeTag:
        type.shape = Alias{AliasKind::kTypeTag, target};
        break;
      case kFunction:
        type.shape = Function{target};
        break;
      case kFunctionPrototype: {
        EGPU_ASSIGN(type.shape, read_prototype(raw));
        break;
      }
      case kVariable:
        EGPU_TRY(take<std::uint32_t>());  // linkage
        type.shape = Variable{target};
        break;
      case kDataSection: {
        EGPU_ASSIGN(type.shape, read_section(raw));
        break;
      }
      case kDeclarationTag:
        EGPU_TRY(take<std::int32_t>());  // which member or parameter
        type.shape = DeclarationTag{target};
        break;
      default:
        return damaged(fmt::format("BTF kind {} is not known", raw.kind()));
    }
    return type;
  }

  Result<Int> read_int(const RawType& raw) {
    EGPU_ASSIGN(const auto encoding, take<std::uint32_t>());
    const std::uint32_t size = raw.size_or_type;
    const std::uint32_t bits = encoding & 0xff;
    const bool size_known = size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    if (!size_known || bits == 0 || bits > 8 * size || (encoding >> 16 & 0xff) != 0) {
      return damaged(fmt::format("integer of {} bytes and {} bits is not supported", size, bits));
    }
    return Int{.size = size,
               .bits = static_cast<std::uint8_t>(bits),
               .is_signed = (encoding >> 24 & 1) != 0,
               .is_char = (encoding >> 24 & 2) != 0,
               .is_bool = (encoding >> 24 & 4) != 0};
  }

  Result<Composite> read_composite(const RawType& raw) {
    struct Raw {
      std::uint32_t name, type, offset;
    };
    Composite composite{.is_union = raw.kind() == kUnion, .size = raw.size_or_type, .members = {}};
    for (std::uint32_t i = 0; i < raw.count(); ++i) {
      EGPU_ASSIGN(const auto member, take<Raw>());
      EGPU_ASSIGN(std::string name, name_at(member.name));
      composite.members.push_back(
          {.name = std::move(name),
           .type = {member.type},
           .bit_offset = raw.flag() ? member.offset & 0xffffff : member.offset,
           .bit_size = raw.flag() ? member.offset >> 24 : 0});
    }
    return composite;
  }

  Result<Enum> read_enum(const RawType& raw) {
    struct Raw {
      std::uint32_t name;
      std::int32_t value;
    };
    Enum result{.size = raw.size_or_type, .is_signed = raw.flag(), .enumerators = {}};
    for (std::uint32_t i = 0; i < raw.count(); ++i) {
      EGPU_ASSIGN(const auto enumerator, take<Raw>());
      EGPU_ASSIGN(std::string name, name_at(enumerator.name));
      const std::int64_t value = result.is_signed
                                     ? std::int64_t{enumerator.value}
                                     : std::int64_t{std::bit_cast<std::uint32_t>(enumerator.value)};
      result.enumerators.push_back({std::move(name), value});
    }
    return result;
  }

  Result<Enum> read_enum64(const RawType& raw) {
    struct Raw {
      std::uint32_t name, low, high;
    };
    Enum result{.size = raw.size_or_type, .is_signed = raw.flag(), .enumerators = {}};
    for (std::uint32_t i = 0; i < raw.count(); ++i) {
      EGPU_ASSIGN(const auto enumerator, take<Raw>());
      EGPU_ASSIGN(std::string name, name_at(enumerator.name));
      const std::uint64_t value = std::uint64_t{enumerator.high} << 32 | enumerator.low;
      result.enumerators.push_back({std::move(name), std::bit_cast<std::int64_t>(value)});
    }
    return result;
  }

  Result<FunctionPrototype> read_prototype(const RawType& raw) {
    struct Raw {
      std::uint32_t name, type;
    };
    FunctionPrototype prototype{.result = {raw.size_or_type}, .parameters = {}};
    for (std::uint32_t i = 0; i < raw.count(); ++i) {
      EGPU_ASSIGN(const auto parameter, take<Raw>());
      EGPU_ASSIGN(std::string name, name_at(parameter.name));
      prototype.parameters.push_back({std::move(name), {parameter.type}});
    }
    return prototype;
  }

  Result<DataSection> read_section(const RawType& raw) {
    struct Raw {
      std::uint32_t variable, offset, size;
    };
    DataSection section{.size = raw.size_or_type, .variables = {}};
    for (std::uint32_t i = 0; i < raw.count(); ++i) {
      EGPU_ASSIGN(const auto variable, take<Raw>());
      section.variables.push_back({{variable.variable}, variable.offset, variable.size});
    }
    return section;
  }

  // The types that `type` refers to in any way.
  static std::vector<TypeId> references(const Type& type) {
    std::vector<TypeId> ids;
    if (const auto* pointer = std::get_if<Pointer>(&type.shape)) ids.push_back(pointer->target);
    if (const auto* array = std::get_if<Array>(&type.shape)) ids.push_back(array->element);
    if (const auto* alias = std::get_if<Alias>(&type.shape)) ids.push_back(alias->target);
    if (const auto* function = std::get_if<Function>(&type.shape))
      ids.push_back(function->prototype);
    if (const auto* variable = std::get_if<Variable>(&type.shape)) ids.push_back(variable->type);
    if (const auto* tag = std::get_if<DeclarationTag>(&type.shape)) ids.push_back(tag->target);
    if (const auto* composite = std::get_if<Composite>(&type.shape)) {
      for (const Member& member : composite->members) ids.push_back(member.type);
    }
    if (const auto* prototype = std::get_if<FunctionPrototype>(&type.shape)) {
      ids.push_back(prototype->result);
      for (const Parameter& parameter : prototype->parameters) ids.push_back(parameter.type);
    }
    if (const auto* section = std::get_if<DataSection>(&type.shape)) {
      for (const SectionVariable& variable : section->variables) ids.push_back(variable.variable);
    }
    return ids;
  }

  Result<void> lay_out() {
    for (std::size_t i = 0; i < btf_.types_.size(); ++i) {
      record_offset_ = offsets_[i];
      for (const TypeId id : references(btf_.types_[i])) {
        if (id.value > btf_.count()) return damaged(fmt::format("there is no type {}", id.value));
      }
    }
    btf_.sizes_.resize(btf_.types_.size());
    states_.resize(btf_.types_.size(), State::kNew);
    depths_.resize(btf_.types_.size(), 0);
    for (std::uint32_t id = 1; id <= btf_.count(); ++id) EGPU_TRY(lay_out({id}, 0));
    return {};
  }

  // Computes the size of `id` and of what it holds by value; gives how deep these nest.
  Result<std::uint32_t> lay_out(TypeId id, std::uint32_t depth) {
    if (id.value == 0) return 0;
    const std::size_t index = id.value - 1;
    record_offset_ = offsets_[index];
    if (states_[index] == State::kActive) return damaged("the type contains itself");
    if (depth + depths_[index] > kMaxTypeNesting) {
      return damaged(fmt::format("types nest deeper than {}", kMaxTypeNesting));
    }
    if (states_[index] == State::kDone) return depths_[index];
    states_[index] = State::kActive;
    Type& type = btf_.types_[index];
    std::uint32_t nesting = 0;
    if (holds_by_value(type)) {
      for (const TypeId part : references(type)) {
        EGPU_ASSIGN(const std::uint32_t below, lay_out(part, depth + 1));
        nesting = std::max(nesting, below + 1);
      }
    }
    record_offset_ = offsets_[index];
    EGPU_ASSIGN(btf_.sizes_[index], size_of(type));
    depths_[index] = nesting;
    states_[index] = State::kDone;
    return nesting;
  }

  static bool holds_by_value(const Type& type) {
    return std::holds_alternative<Array>(type.shape) || std::holds_alternative<Alias>(type.shape) ||
           std::holds_alternative<Composite>(type.shape);
  }

  // The parts of `type` have their sizes.
  Result<std::optional<std::uint64_t>> size_of(Type& type) {
    using Size = std::optional<std::uint64_t>;
    if (const auto* integer = std::get_if<Int>(&type.shape)) return Size(integer->size);
    if (const auto* number = std::get_if<Float>(&type.shape)) return Size(number->size);
    if (std::holds_alternative<Pointer>(type.shape)) return Size(8);
    if (const auto* alias = std::get_if<Alias>(&type.shape)) return btf_.size_of(alias->target);
    if (const auto* enumeration = std::get_if<Enum>(&type.shape)) {
      const std::uint32_t size = enumeration->size;
      if (size != 1 && size != 2 && size != 4 && size != 8) {
        return damaged(fmt::format("an enum of {} bytes is not supported", size));
      }
      return Size(size);
    }
    if (auto* array = std::get_if<Array>(&type.shape)) {
      const Size element = btf_.size_of(array->element);
      if (!element) return damaged("an array of elements without a size");
      if (*element == 0) array->count = 0;
      if (*element * array->count > kMaxTypeBytes) return damaged("an array larger than 4 GiB");
      return Size(*element * array->count);
    }
    if (const auto* composite = std::get_if<Composite>(&type.shape)) {
      EGPU_TRY(check_members(*composite));
      return Size(composite->size);
    }
    return Size();
  }

  Result<void> check_members(const Composite& composite) const {
    for (const Member& member : composite.members) {
      const auto size = btf_.size_of(member.type);
      const bool aligned = member.bit_size != 0 || member.bit_offset % 8 == 0;
      if (!size || !aligned) return damaged(fmt::format("member {} has no place", member.name));
      const std::uint64_t bits = member.bit_size != 0 ? member.bit_size : 8 * *size;
      if (member.bit_size > 64 || member.bit_offset + bits > std::uint64_t{8} * composite.size) {
        return damaged(fmt::format("member {} lies outside its struct", member.name));
      }
    }
    return {};
  }

  Bytes section_;
  Bytes types_;
  std::uint64_t offset_ = 0;         // of the next record, in types_
  std::uint64_t record_offset_ = 0;  // of the record at hand, for messages
  std::vector<std::uint64_t> offsets_;
  std::vector<State> states_;
  std::vector<std::uint32_t> depths_;
  Btf btf_;
};

Result<Btf> Btf::parse(Bytes section_untrusted) { return BtfParser(section_untrusted).parse(); }

}  // namespace egpu::bpf
