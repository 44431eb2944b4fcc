#include "kernel_program.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace egpu {
namespace {

static_assert(offsetof(__sk_buff, data) == KernelProgram::kPacketBegin);
static_assert(offsetof(__sk_buff, data_end) == KernelProgram::kPacketEnd);

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

long bpf(bpf_cmd command, bpf_attr& attributes) {
  return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
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
  return static_cast<int>(bpf(BPF_PROG_LOAD, attributes));
}

}  // namespace

std::string why_no_kernel_programs() {
  const bpf_insn leave[] = {
      {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
      {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
  const UniqueFd fd(load_classifier(std::as_bytes(std::span(leave)), {}));
  return fd ? "" : std::string("the kernel refuses to load eBPF programs: ") + std::strerror(errno);
}

Result<KernelProgram> KernelProgram::load(std::span<const std::byte> code) {
  UniqueFd fd(load_classifier(code, {}));
  if (fd) return KernelProgram(std::move(fd));
  std::vector<char> log(std::size_t{1} << 20);
  fd.reset(load_classifier(code, log));
  return input_error(std::string("the kernel refuses the program:\n") + log.data());
}

Result<std::uint32_t> KernelProgram::run(std::span<const std::byte> packet) const {
  bpf_attr attributes{};
  attributes.test.prog_fd = static_cast<std::uint32_t>(fd_.get());
  attributes.test.data_in = address(packet.data());
  attributes.test.data_size_in = static_cast<std::uint32_t>(packet.size());
  if (bpf(BPF_PROG_TEST_RUN, attributes) == 0) return attributes.test.retval;
  return input_error(std::string("BPF_PROG_TEST_RUN: ") + std::strerror(errno));
}

}  // namespace egpu
