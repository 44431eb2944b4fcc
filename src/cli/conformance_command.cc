#include "cli/conformance_command.h"

#include <fmt/format.h>

#include <chrono>

#include "base/hex.h"
#include "bpf/decode.h"
#include "cli/case_run.h"
#include "cli/raw_run.h"
#include "codegen/host_jit.h"
#include "codegen/raw_kernel.h"

namespace egpu::cli {
namespace {

constexpr std::chrono::seconds kTimeLimit{10};

Result<std::vector<std::byte>> hex_argument(std::string_view text, std::string_view what) {
  auto bytes = parse_hex(text);
  if (bytes) return bytes;
  Error error = std::move(bytes).error();
  error.place = fmt::format("{}, {}", what, error.place);
  return error;
}

}  // namespace

Result<Outcome> conformance_command(const ConformanceOptions& options, std::string_view program) {
  const bool on_gpu = options.engine == "gpu";
  if (!options.cases.empty()) {
    if (!options.memory.empty())
      return input_error("MEMORY-HEX does not go with --cases").hint("case files hold the memory");
    return run_cases({options.cases.begin(), options.cases.end()}, on_gpu);
  }
  EGPU_ASSIGN(std::vector<std::byte> memory, hex_argument(options.memory, "MEMORY-HEX"));
  EGPU_ASSIGN(const std::vector<std::byte> code, hex_argument(program, "standard input"));
  EGPU_ASSIGN(bpf::DecodedProgram decoded, bpf::decode_raw(code, slot_place));
  if (on_gpu) {
    const std::vector<codegen::RawProgram> programs{
        {.program = std::move(decoded), .place = slot_place}};
    EGPU_ASSIGN(const std::string ptx, codegen::generate_raw_kernels(programs));
    return run_on_gpu(ptx, memory, kTimeLimit);
  }
  EGPU_ASSIGN(const codegen::HostProgram compiled, codegen::jit(decoded, slot_place));
  return run_on_host(compiled, memory, kTimeLimit);
}

}  // namespace egpu::cli
