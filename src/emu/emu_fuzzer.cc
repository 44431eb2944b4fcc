// Whatever text: it is refused, or its kernels run to their ends or to a fault.
#include "base/bytes.h"
#include "emu/launch.h"
#include "emu/memory.h"
#include "emu/module.h"
#include "ptx/parser.h"

namespace {

using namespace egpu::emu;

constexpr std::size_t kLongestText = 1 << 14;
constexpr std::uint64_t kMemory = 1 << 24;
constexpr std::size_t kParameterBytes = 256;

void run_kernels(Module& module, Memory& memory) {
  // Parameters all point to one buffer; as numbers they are large.
  std::vector<std::uint64_t> parameters(kParameterBytes / 8, memory.allocate(1 << 12));
  const DeviceShape device;
  LaunchConfig config{.grid = {2, 1, 1}, .block = {33, 1, 1}};
  config.parameters = std::as_bytes(std::span(parameters));
  config.stack_bytes = 256;
  config.budget = 20'000;
  for (const std::string& name : module.kernel_names()) {
    const auto kernel = module.kernel(name);
    if (!kernel || (*kernel) == nullptr) continue;
    if (const auto fault = launch(**kernel, memory, device, config)) (void)to_string(*fault);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = egpu::as_text(std::as_bytes(std::span(data, size)));
  if (text.size() > kLongestText) return 0;
  const auto parsed = egpu::ptx::parse(text, "fuzz.ptx");
  if (!parsed) return 0;
  Memory memory(kMemory);
  const auto module = Module::load(*parsed, memory);
  if (module) run_kernels(**module, memory);
  return 0;
}
