// A loaded eBPF object: programs, maps and the types that describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/btf.h"
#include "bpf/instruction.h"
#include "bpf/subprogram.h"

namespace egpu::bpf {

// Linux numbers.
enum class MapType : std::uint32_t {
  kHash = 1,
  kArray = 2,
  kPerfEventArray = 4,  // a ring buffer of another name
  kPercpuHash = 5,
  kPercpuArray = 6,
  kLruHash = 9,
  kQueue = 22,
  kStack = 23,
  kRingbuf = 27,
};

constexpr bool is_array(MapType type) {
  return type == MapType::kArray || type == MapType::kPercpuArray;
}
constexpr bool is_hash(MapType type) {
  return type == MapType::kHash || type == MapType::kPercpuHash || type == MapType::kLruHash;
}
// Whether each SM has values of its own.
constexpr bool is_percpu(MapType type) {
  return type == MapType::kPercpuArray || type == MapType::kPercpuHash;
}
// Whether values are pushed and popped.
constexpr bool is_queue(MapType type) { return type == MapType::kQueue || type == MapType::kStack; }
constexpr bool is_ring(MapType type) {
  return type == MapType::kRingbuf || type == MapType::kPerfEventArray;
}
// Whether each SM has memory of its own.
constexpr bool is_sharded(MapType type) { return is_percpu(type) || is_ring(type); }

struct MapDefinition {
  std::string name;
  MapType type;
  std::uint32_t key_size;          // bytes; 4 of arrays, 1 to 512 of hashes, else 0
  std::uint32_t value_size;        // bytes, 1 to 1 MiB; of a ring buffer's records, 0: not given
  std::uint32_t max_entries;       // 1 to 64 Mi; of a ring buffer: the bytes of each SM's ring
  std::optional<TypeId> key_type;  // in Object::btf; absent where only sizes were given
  std::optional<TypeId> value_type;
  // What the values hold before the first program runs: value_size bytes for a data section, which
  // is an ARRAY map with one value called ".data" or ".bss" (value_type: its DATASEC); else empty,
  // which means zeros.
  std::vector<std::byte> initial = {};
  // 4 or 8: programs only add numbers of so many bytes to the values of this ARRAY, which lie in
  // shards that whoever reads them adds up (abi/map_layout.h). 0: the map is what its type says.
  std::uint32_t sum_bytes = 0;
  bool operator==(const MapDefinition&) const = default;
};

// A section of data that programs only read (.rodata and its kin). It has no map: generated code
// holds the bytes, so that set_variable() (bpf/variables.h) makes constants of them.
struct ReadOnlySection {
  std::string name;
  std::vector<std::byte> bytes;
  std::uint64_t alignment = 1;  // a power of two
};

struct SourceLine {
  std::string file;  // as the compiler recorded it
  std::uint32_t line = 0;
  std::string text;  // the source line itself, without leading blanks
};

enum class AttachEvent : std::uint8_t { kEntry, kExit };
enum class Granularity : std::uint8_t {
  kThread,
  kWarp,   // at exits: once for each group of lanes that come together
  kBlock,  // in the first thread to come, or the last
};

// Where a program fires: SEC("gpu.warp/exit:KERNEL[,KERNEL...][;sample=1/N]").
struct AttachPoint {
  AttachEvent event = AttachEvent::kEntry;
  Granularity granularity = Granularity::kThread;
  std::uint32_t sample = 1;               // in one block of so many
  std::vector<std::string> kernels = {};  // globs over mangled or demangled names; "*" for all
  bool operator==(const AttachPoint&) const = default;
};

// A function of a linked program: instructions [range.first, range.end).
struct ProgramFunction {
  std::string name;  // in C
  Subprogram range;
};

// Linked: every function that the program calls or passes to a helper, directly or through others,
// follows it in `instructions`; targets are indexes into them.
struct Program {
  std::string name;     // the C function
  std::string section;  // as written
  AttachPoint attach;
  std::vector<ProgramFunction>
      functions;  // in order of their code; the first is the program itself
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> slots;  // per instruction: its 8-byte slot in its function's section
  std::vector<std::optional<SourceLine>> source;  // per instruction, from .BTF.ext

  // The function that holds `instruction`: an index into `functions`.
  [[nodiscard]] std::size_t function_of(std::size_t instruction) const;

  // "program count, instruction 7 (kernelcount.bpf.c:12)"; in another function than the program's
  // own, "program count, function add, instruction 9 (...)".
  [[nodiscard]] std::string place(std::size_t instruction) const;
};

// The ring buffer that lines of bpf_trace_printk go through: an object has a map of this name, its
// last one, where a program calls the helper.
inline constexpr char kTraceMap[] = ".trace";

struct Object {
  std::string path;  // for messages
  std::vector<MapDefinition> maps;
  std::vector<ReadOnlySection> read_only;
  std::vector<std::string> externs;  // names of __ksym functions, each once
  std::vector<Program> programs;
  Btf btf;
};

// Loads what clang -target bpf wrote. Fails with the place (section, offset, program, line) on
// damage and, by name, on whatever this version does not support. Thread-safe; keeps no reference
// to the bytes.
Result<Object> load_object(Bytes object_untrusted, std::string path);

// Parses "gpu/entry:foo*,bar;sample=1/64". Errors list the attach points that exist.
Result<AttachPoint> parse_attach_point(std::string_view section);

}  // namespace egpu::bpf
