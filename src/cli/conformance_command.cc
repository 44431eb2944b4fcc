#include "cli/conformance_command.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "base/hex.h"
#include "bpf/decode.h"
#include "cli/case_run.h"
#include "cli/emulator.h"
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

// Nothing for an engine that needs none.
Result<std::optional<Gpu>> gpu_for(const Installation& installation, const std::string& engine) {
  if (engine == "jit") return std::nullopt;
  if (engine == "gpu") return Gpu{.driver = "libcuda.so.1", .name = "GPU"};
  EGPU_TRY(check_emulator(installation));
  return Gpu{.driver = installation.emulator_driver(), .name = "emulator"};
}

}  // namespace

Result<Outcome> conformance_command(const Installation& installation,
                                    const ConformanceOptions& options, std::string_view program) {
  EGPU_ASSIGN(const auto gpu, gpu_for(installation, options.engine));
  if (!options.cases.empty()) {
    if (!options.memory.empty())
      return input_error("MEMORY-HEX does not go with --cases").hint("case files hold the memory");
    return run_cases({options.cases.begin(), options.cases.end()}, gpu);
  }
  EGPU_ASSIGN(std::vector<std::byte> memory, hex_argument(options.memory, "MEMORY-HEX"));
  EGPU_ASSIGN(const std::vector<std::byte> code, hex_argument(program, "standard input"));
  EGPU_ASSIGN(bpf::DecodedProgram decoded, bpf::decode_raw(code, slot_place));
  if (gpu) {
    const std::vector<codegen::RawProgram> programs{
        {.program = std::move(decoded), .place = slot_place}};
    EGPU_ASSIGN(const std::string ptx, codegen::generate_raw_kernels(programs));
    return run_on_gpu(*gpu, ptx, memory, kTimeLimit);
  }
  EGPU_ASSIGN(const codegen::HostProgram compiled, codegen::jit(decoded, slot_place));
  return run_on_host(compiled, memory, kTimeLimit);
}

}  // namespace egpu::cli
