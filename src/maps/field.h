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
  kKernel,  // a number of type egpu_kernel_id
  kText,    // an array of char
  kPointer,
  kBytes,   // no known type: shown as hexadecimal bytes, never added
  kStruct,  // children are members
  kArray,   // children are elements
};

// What the slots of a histogram count (include/egpu/egpu.bpf.h).
struct Scale {
  // 0: slots by powers of two. Else steps of so many numbers from `first` on, between a slot for
  // what is less and one for what is more.
  std::uint64_t width = 0;
  std::uint64_t first = 0;
  bool operator==(const Scale&) const = default;
};

struct Field {
  std::string name = {};  // of a member; empty for elements and the value itself
  FieldKind kind = FieldKind::kBytes;
  std::uint64_t bit_offset = 0;  // from the start of the value
  std::uint64_t bit_size = 0;    // kText and kBytes: whole bytes. Other leaves: 1 to 64
  bpf::TypeId type = {};         // kEnum: where the names are
  std::vector<Field> children = {};
  std::optional<Scale> histogram = {};  // of a struct whose one child is its array of slots
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

// The same without the slots of histograms, and these, named by their paths too; "" for a value
// that is one histogram.
struct SplitFields {
  std::vector<Field> leaves;
  std::vector<Field> histograms;
};
SplitFields split_histograms(const Field& root);

}  // namespace egpu::maps
