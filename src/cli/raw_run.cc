#include "cli/raw_run.h"

#include <fmt/format.h>
#include <signal.h>

#include <cstring>

#include "cli/run_in_child.h"
#include "codegen/raw_kernel.h"

namespace egpu::cli {
namespace {

Outcome returned(std::uint64_t r0) {
  return {.text = fmt::format("{:x}\n", r0), .errors = {}, .exit_code = 0};
}

Error wild_access(std::size_t memory_bytes) {
  return input_error("the program accessed memory that it does not have")
      .hint(fmt::format("it has {} bytes at r1 and 512 bytes of stack in each function",
                        memory_bytes));
}

Error ended_by(int signal, const char* what) {
  return input_error(fmt::format("signal {} ({}) ended {}", signal, strsignal(signal), what));
}

}  // namespace

std::string slot_place(std::uint32_t slot) { return fmt::format("instruction slot {}", slot); }

Error describe(const cuda::RawOutcome& outcome, std::size_t memory_bytes,
               std::chrono::milliseconds limit) {
  switch (outcome.ending) {
    case cuda::RawEnding::kWildAccess:
      return wild_access(memory_bytes);
    case cuda::RawEnding::kMisaligned:
      return input_error("an atomic operation of the program is not aligned")
          .hint("on the GPU its address must be a multiple of its size");
    case cuda::RawEnding::kTooLong:
      return too_long(limit);
    case cuda::RawEnding::kReturned:
      break;
  }
  return internal_error("a program that returned was taken for one that did not");
}

Result<Outcome> run_on_host(const codegen::HostProgram& program, std::span<std::byte> memory,
                            std::chrono::milliseconds limit) {
  return run_in_child(
      [&]() -> Result<Outcome> { return returned(program(memory.data(), memory.size())); }, limit,
      [&](int signal) {
        const bool is_access = signal == SIGSEGV || signal == SIGBUS;
        return is_access ? wild_access(memory.size()) : ended_by(signal, "the program");
      });
}

Result<Outcome> run_on_gpu(const Gpu& gpu, const std::string& ptx,
                           const std::vector<std::byte>& memory, std::chrono::milliseconds limit) {
  const auto body = [&]() -> Result<Outcome> {
    EGPU_ASSIGN(const cuda::RawKernels kernels, cuda::RawKernels::open(gpu.driver.c_str()));
    const std::vector<cuda::RawRun> runs{{.entry = codegen::raw_kernel_name(0), .memory = memory}};
    EGPU_ASSIGN(const std::vector<cuda::RawOutcome> outcomes,
                kernels.run(ptx, runs, {.run = limit}));
    const cuda::RawOutcome& outcome = outcomes.front();
    if (outcome.ending != cuda::RawEnding::kReturned)
      return describe(outcome, memory.size(), limit);
    return returned(outcome.r0);
  };
  return run_in_child(body, limit + kGpuStart,
                      [](int signal) { return ended_by(signal, "the CUDA driver"); });
}

}  // namespace egpu::cli
