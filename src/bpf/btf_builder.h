// Writes BTF from readable calls, for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "bpf/btf.h"

namespace egpu::bpf {

class BtfBuilder {
 public:
  // Kinds as Documentation/bpf/btf.rst numbers them.
  enum Kind : std::uint32_t {
    kInt = 1,
    kPointer = 2,
    kArray = 3,
    kStruct = 4,
    kUnion = 5,
    kEnum = 6,
    kForward = 7,
    kTypedef = 8,
    kVolatile = 9,
    kConst = 10,
    kRestrict = 11,
    kFunction = 12,
    kFunctionPrototype = 13,
    kVariable = 14,
    kDataSection = 15,
    kFloat = 16,
    kDeclarationTag = 17,
    kTypeTag = 18,
    kEnum64 = 19,
  };

  // Offset of `text` in the strings.
  std::uint32_t string(std::string_view text) {
    if (text.empty()) return 0;
    const auto offset = static_cast<std::uint32_t>(strings_.size());
    strings_.append(text).push_back('\0');
    return offset;
  }

  // One type record: header, then `words` as they are. Its id.
  TypeId type(Kind kind, std::string_view name, std::uint32_t size_or_type,
              std::initializer_list<std::uint32_t> words = {}, std::uint32_t count = 0,
              bool flag = false) {
    word(string(name));
    word(kind << 24 | count | (flag ? 1U << 31 : 0));
    word(size_or_type);
    for (const std::uint32_t value : words) word(value);
    return {++count_};
  }

  TypeId integer(std::string_view name, std::uint32_t size, bool is_signed = false) {
    return type(kInt, name, size, {(is_signed ? 1U << 24 : 0) | 8 * size});
  }
  TypeId array(TypeId element, std::uint32_t count) {
    return type(kArray, "", 0, {element.value, element.value, count});
  }

  [[nodiscard]] std::string bytes() const {
    std::string result;
    const auto put = [&](auto value) {
      result.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    put(std::uint16_t{0xeb9f});
    put(std::uint8_t{1});
    put(std::uint8_t{0});
    put(std::uint32_t{24});
    put(std::uint32_t{0});
    put(static_cast<std::uint32_t>(types_.size()));
    put(static_cast<std::uint32_t>(types_.size()));
    put(static_cast<std::uint32_t>(strings_.size()));
    return result + types_ + strings_;
  }

 private:
  void word(std::uint32_t value) {
    types_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string types_;
  std::string strings_ = std::string(1, '\0');
  std::uint32_t count_ = 0;
};

}  // namespace egpu::bpf
