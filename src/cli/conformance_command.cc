#include "cli/conformance_command.h"

#include <fmt/format.h>

#include <chrono>

#include "base/hex.h"
#include "bpf/decode.h"
#include "cli/isolated_run.h"
#include "codegen/host_jit.h"

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

std::string place(std::uint32_t slot) { return fmt::format("instruction slot {}", slot); }

}  // namespace

Result<Outcome> conformance_command(const ConformanceOptions& options, std::string_view program) {
  if (options.engine == "gpu")
    return input_error("raw programs do not run on the GPU yet: that comes with a later version")
        .hint("use --engine jit");
  EGPU_ASSIGN(std::vector<std::byte> memory, hex_argument(options.memory, "MEMORY-HEX"));
  EGPU_ASSIGN(const std::vector<std::byte> code, hex_argument(program, "standard input"));
  EGPU_ASSIGN(const bpf::DecodedProgram decoded, bpf::decode_raw(code, place));
  EGPU_ASSIGN(const codegen::HostProgram compiled, codegen::jit(decoded, place));
  EGPU_ASSIGN(const std::uint64_t result, run_isolated(compiled, memory, kTimeLimit));
  return Outcome{.text = fmt::format("{:x}\n", result), .errors = {}, .exit_code = 0};
}

}  // namespace egpu::cli
