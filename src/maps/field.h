// What a map's value (or key) consists of: the tree that adding, printing and JSON all walk, made
// from BTF once for each map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpf/btf.h"

namespace egpu::maps {

enum class FieldKind : std::uint8_t {
  kUnsigned,
  kSigned,
  kBool,
  kEnum,
  kText,  // an array of char
  kPointer,
  kBytes,   // no known type: shown as hexadecimal bytes, never added
  kStruct,  // children are members
  kArray,   // children are elements
};

struct Field {
  std::string name = {};  // of a member; empty for elements and the value itself
  FieldKind kind = FieldKind::kBytes;
  std::uint64_t bit_offset = 0;  // from the start of the value
  std::uint64_t bit_size = 0;    // kText and kBytes: whole bytes. Other leaves: 1 to 64
  bpf::TypeId type = {};         // kEnum: where the names are
  std::vector<Field> children = {};
};

// Values with more fields than this are shown as bytes.
inline constexpr std::size_t kMaxFields = 65536;

// The tree of a value of `size` bytes. Without a type, or where its size is another, a value of 1,
// 2, 4 or 8 bytes is an unsigned number and any other is kBytes. A union is its first member that
// fills it; a section of data is a struct of its variables.
Field describe(const bpf::Btf& btf, std::optional<bpf::TypeId> type, std::uint32_t size);

// The leaves in order, each named by its path: "a.b", "slots[3]", "value" for a value that is one
// leaf.
std::vector<Field> flatten(const Field& root);

}  // namespace egpu::maps
