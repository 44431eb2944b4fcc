#include "kernel_program.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "bpf/encode.h"

namespace egpu {
namespace {

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

long bpf_call(bpf_cmd command, bpf_attr& attributes) {
  return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

Error system_error_of(const char* what) {
  return input_error(std::string(what) + ": " + std::strerror(errno));
}

int load_classifier(std::span<const std::byte> code, std::span<char> log) {
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_SCHED_CLS;
  attributes.insns = address(code.data());
  attributes.insn_cnt = static_cast<std::uint32_t>(code.size() / sizeof(bpf_insn));
  attributes.license = address("GPL");
  if (!log.empty()) {
    attributes.log_buf = address(log.data());
    attributes.log_size = static_cast<std::uint32_t>(log.size());
    attributes.log_level = 1;
  }
  return static_cast<int>(bpf_call(BPF_PROG_LOAD, attributes));
}

Result<UniqueFd> create_map(const bpf::MapDefinition& map) {
  bpf_attr attributes{};
  attributes.map_type = static_cast<std::uint32_t>(map.type);
  attributes.key_size = map.key_size;
  attributes.value_size = map.value_size;
  attributes.max_entries = map.max_entries;
  UniqueFd fd(static_cast<int>(bpf_call(BPF_MAP_CREATE, attributes)));
  if (!fd) return system_error_of("BPF_MAP_CREATE");
  if (map.initial.empty()) return fd;

  const std::uint32_t key = 0;
  bpf_attr update{};
  update.map_fd = static_cast<std::uint32_t>(fd.get());
  update.key = address(&key);
  update.value = address(map.initial.data());
  if (bpf_call(BPF_MAP_UPDATE_ELEM, update) != 0) return system_error_of("BPF_MAP_UPDATE_ELEM");
  return fd;
}

// The code with the maps' descriptors where they are referred to.
Result<std::vector<std::byte>> code_for(const bpf::Program& program,
                                        std::span<const UniqueFd> maps) {
  EGPU_ASSIGN(bpf::EncodedProgram encoded, bpf::encode(program.instructions));
  for (const bpf::Reference& reference : encoded.references) {
    const bool is_map = reference.kind == bpf::ReferenceKind::kMap;
    if (!is_map && reference.kind != bpf::ReferenceKind::kMapData)
      return internal_error("a program refers to more than maps and their data");
    bpf_insn halves[2];
    std::byte* const place = encoded.code.data() + reference.slot * sizeof(bpf_insn);
    std::memcpy(halves, place, sizeof halves);
    halves[0].src_reg = is_map ? BPF_PSEUDO_MAP_FD : BPF_PSEUDO_MAP_VALUE;
    halves[0].imm = maps[reference.index].get();
    halves[1].imm = is_map ? 0 : static_cast<std::int32_t>(reference.value);
    std::memcpy(place, halves, sizeof halves);
  }
  return std::move(encoded.code);
}

}  // namespace

std::string why_no_kernel_programs() {
  const bpf_insn leave[] = {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
  const UniqueFd fd(load_classifier(std::as_bytes(std::span(leave)), {}));
  return fd ? "" : std::string("the kernel refuses to load eBPF programs: ") + std::strerror(errno);
}

Result<KernelProgram> KernelProgram::load(const bpf::Object& object) {
  std::vector<UniqueFd> maps;
  for (const bpf::MapDefinition& definition : object.maps) {
    EGPU_ASSIGN(maps.emplace_back(), create_map(definition));
  }
  EGPU_ASSIGN(const std::vector<std::byte> code, code_for(object.programs.at(0), maps));
  UniqueFd fd(load_classifier(code, {}));
  if (fd) return KernelProgram(std::move(maps.at(0)), std::move(fd), object.maps.at(0).value_size);
  std::vector<char> log(std::size_t{1} << 20);
  fd.reset(load_classifier(code, log));
  return input_error(std::string("the kernel refuses the program:\n") + log.data());
}

Result<std::uint32_t> KernelProgram::run() const {
  constexpr std::size_t kSmallestPacket = 14;  // a link-level header
  const std::byte packet[kSmallestPacket] = {};
  bpf_attr attributes{};
  attributes.test.prog_fd = static_cast<std::uint32_t>(program_.get());
  attributes.test.data_in = address(packet);
  attributes.test.data_size_in = sizeof packet;
  if (bpf_call(BPF_PROG_TEST_RUN, attributes) == 0) return attributes.test.retval;
  return system_error_of("BPF_PROG_TEST_RUN");
}

Result<std::vector<std::byte>> KernelProgram::memory() const {
  std::vector<std::byte> value(value_size_);
  const std::uint32_t key = 0;
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(map_.get());
  attributes.key = address(&key);
  attributes.value = address(value.data());
  if (bpf_call(BPF_MAP_LOOKUP_ELEM, attributes) == 0) return value;
  return system_error_of("BPF_MAP_LOOKUP_ELEM");
}

}  // namespace egpu
