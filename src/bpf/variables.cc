#include "bpf/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

namespace egpu::bpf {
namespace {

// A variable that may be set, and where its bytes are.
struct Place {
  std::string_view name;
  TypeId type;  // resolved
  std::size_t section = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

// The compiler reads volatile data where the source does; other constants it may have folded. The
// qualifiers of an array are those of its elements.
bool is_volatile(const Btf& btf, TypeId id) {
  for (;;) {
    const Type& type = btf.type(id);
    if (const auto* const alias = std::get_if<Alias>(&type.shape)) {
      if (alias->kind == AliasKind::kVolatile) return true;
      id = alias->target;
    } else if (const auto* const array = std::get_if<Array>(&type.shape)) {
      id = array->element;
    } else {
      return false;
    }
  }
}

// An array of bytes called char holds text.
const Array* text_array(const Btf& btf, TypeId id) {
  const auto* const array = btf.resolve_as<Array>(id);
  if (array == nullptr || array->count == 0) return nullptr;
  const TypeId element = btf.resolve(array->element);
  const auto* const integer = btf.resolve_as<Int>(element);
  const bool is_char = integer != nullptr && integer->size == 1 && !integer->is_bool &&
                       (integer->is_char || btf.type(element).name == "char");
  return is_char ? array : nullptr;
}

std::string describe(const Btf& btf, TypeId id) {
  if (const auto* const text = text_array(btf, id)) {
    return fmt::format("text of at most {} bytes", text->count - 1);
  }
  if (const auto* const integer = btf.resolve_as<Int>(id)) {
    if (integer->is_bool) return "true or false";
    return fmt::format("{} integer of {} bits", integer->is_signed ? "signed" : "unsigned",
                       8 * integer->size);
  }
  std::string names;
  if (const auto* const enumeration = btf.resolve_as<Enum>(id)) {
    for (const Enumerator& enumerator : enumeration->enumerators) {
      names += (names.empty() ? "" : ", ") + enumerator.name;
    }
  }
  return "one of " + names;
}

bool is_settable(const Btf& btf, TypeId id) {
  if (text_array(btf, id) != nullptr || btf.resolve_as<Enum>(id) != nullptr) return true;
  const auto* const integer = btf.resolve_as<Int>(id);
  return integer != nullptr && integer->size <= sizeof(std::uint64_t);
}

// Every variable of the read-only sections.
std::vector<Place> places(const Object& object) {
  std::vector<Place> result;
  for (std::size_t i = 0; i < object.read_only.size(); ++i) {
    const DataSection* const section = object.btf.find_section(object.read_only[i].name);
    if (section == nullptr) continue;
    for (const SectionVariable& entry : section->variables) {
      const Type& type = object.btf.type(entry.variable);
      result.push_back({.name = type.name,
                        .type = std::get<Variable>(type.shape).type,
                        .section = i,
                        .offset = entry.offset,
                        .size = entry.size});
    }
  }
  return result;
}

bool may_be_set(const Object& object, const Place& place) {
  return is_volatile(object.btf, place.type) && is_settable(object.btf, place.type);
}

std::string text_value(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  return std::string(text.substr(0, text.find('\0')));
}

// The number in `bytes`, sign-extended where the type is signed.
std::uint64_t number_value(Bytes bytes, bool is_signed) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  const std::size_t unused = 64 - 8 * bytes.size();
  return is_signed
             ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused)
             : value;
}

std::string number_text(std::uint64_t value, bool is_signed) {
  return is_signed ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

std::string current_value(const Object& object, const Place& place) {
  const Btf& btf = object.btf;
  const Bytes bytes =
      Bytes(object.read_only[place.section].bytes).subspan(place.offset, place.size);
  if (text_array(btf, place.type) != nullptr) return text_value(bytes);
  if (const auto* const enumeration = btf.resolve_as<Enum>(place.type)) {
    const std::uint64_t value = number_value(bytes, enumeration->is_signed);
    const auto named = std::ranges::find(enumeration->enumerators, static_cast<std::int64_t>(value),
                                         &Enumerator::value);
    return named != enumeration->enumerators.end() ? named->name
                                                   : number_text(value, enumeration->is_signed);
  }
  const auto* const integer = btf.resolve_as<Int>(place.type);
  if (integer->is_bool) return number_value(bytes, false) != 0 ? "true" : "false";
  return number_text(number_value(bytes, integer->is_signed), integer->is_signed);
}

// A number that fits `size` bytes, as its low bits; nothing for any other text.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint32_t size,
                                          bool is_signed) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const char* const end = text.end();
  const auto [stop, error] = std::from_chars(text.begin(), end, magnitude, hexadecimal ? 16 : 10);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  const std::uint64_t half = std::uint64_t{1} << (8 * size - 1);  // 2 to the power of bits - 1
  if (negative && (!is_signed || magnitude > half)) {
    return magnitude == 0 ? std::optional(magnitude) : std::nullopt;
  }
  if (!negative && magnitude > (is_signed ? half - 1 : half - 1 + half)) return std::nullopt;
  return negative ? -magnitude : magnitude;
}

std::optional<std::uint64_t> parse_bool(std::string_view text) {
  if (text == "true" || text == "1") return 1;
  if (text == "false" || text == "0") return 0;
  return std::nullopt;
}

// What the bytes of a number, a bool or an enum shall be.
std::optional<std::uint64_t> parse_scalar(const Btf& btf, const Place& place,
                                          std::string_view text) {
  if (const auto* const enumeration = btf.resolve_as<Enum>(place.type)) {
    const auto named = std::ranges::find(enumeration->enumerators, text, &Enumerator::name);
    if (named != enumeration->enumerators.end()) return std::bit_cast<std::uint64_t>(named->value);
    return parse_number(text, place.size, enumeration->is_signed);
  }
  const auto* const integer = btf.resolve_as<Int>(place.type);
  if (integer->is_bool) return parse_bool(text);
  return parse_number(text, place.size, integer->is_signed);
}

Error unexpected(const Object& object, const Place& place, std::string_view value) {
  return input_error(fmt::format("variable {} cannot be \"{}\"", place.name, value))
      .at(object.path)
      .hint(fmt::format("expected: {}", describe(object.btf, place.type)));
}

// The one variable of this name that may be set.
Result<Place> find_place(const Object& object, std::string_view name) {
  std::vector<Place> found;
  for (const Place& place : places(object)) {
    if (place.name == name) found.push_back(place);
  }
  if (found.size() > 1) {
    return input_error(fmt::format("there are {} variables called {}", found.size(), name))
        .at(object.path)
        .hint("give them different names");
  }
  if (found.size() == 1 && may_be_set(object, found[0])) return found[0];
  std::string names;
  for (const SettableVariable& variable : settable_variables(object)) {
    names += (names.empty() ? "" : ", ") + variable.name;
  }
  const std::string hint = names.empty() ? "no variable of the object can be set: declare it const "
                                           "volatile, outside of functions"
                                         : "variables that can be set: " + names;
  if (found.empty()) {
    return input_error(fmt::format("the object has no constant called {}", name))
        .at(object.path)
        .hint(hint);
  }
  const bool folded = !is_volatile(object.btf, found[0].type);
  return input_error(fmt::format("variable {} cannot be set: it is {}", name,
                                 folded ? "not volatile, so that the compiler may have used its "
                                          "value already"
                                        : "neither a number nor a bool, an enum or a char array"))
      .at(object.path)
      .hint(hint);
}

}  // namespace

std::vector<SettableVariable> settable_variables(const Object& object) {
  std::vector<SettableVariable> result;
  for (const Place& place : places(object)) {
    if (!may_be_set(object, place)) continue;
    result.push_back({.name = std::string(place.name),
                      .type = describe(object.btf, place.type),
                      .value = current_value(object, place)});
  }
  return result;
}

Result<void> set_variable(Object& object, std::string_view name, std::string_view value) {
  EGPU_ASSIGN(const Place place, find_place(object, name));
  const std::span<std::byte> bytes =
      std::span(object.read_only[place.section].bytes).subspan(place.offset, place.size);
  if (text_array(object.btf, place.type) != nullptr) {
    if (value.size() >= bytes.size() || value.contains('\0')) {
      return unexpected(object, place, value);
    }
    std::ranges::fill(bytes, std::byte{0});
    std::ranges::copy(as_bytes(value), bytes.begin());
    return {};
  }
  const auto number = parse_scalar(object.btf, place, value);
  if (!number) return unexpected(object, place, value);
  std::memcpy(bytes.data(), &*number, bytes.size());
  return {};
}

}  // namespace egpu::bpf
