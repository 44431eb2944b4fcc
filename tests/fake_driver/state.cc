#include "state.h"

#include <cstdlib>
#include <string_view>

#include "abi/probe_table.h"

// What the prologues of entry.h compare.
extern "C" {
[[gnu::visibility("hidden")]] int fake_driver_state = 0;
}

namespace fake_cuda {

State& state() {
  static State* const instance = new State;
  return *instance;
}

cuda::Status check_driver() {
  if (state().deinitialized) return cuda::kDeinitialized;
  return state().initialized ? cuda::kSuccess : cuda::kNotInitialized;
}

cuda::Status check_context() {
  if (const cuda::Status status = check_driver(); status != cuda::kSuccess) return status;
  if (!state().contexts.contains(current())) return cuda::kInvalidContext;
  return current()->sticky;
}

cuda::Status check_capture() {
  if (capture_mode == cuda::kCaptureRelaxed) return cuda::kSuccess;
  cuda::Status status = cuda::kSuccess;
  for (auto& [handle, stream] : state().streams) {
    if (!stream->capturing) continue;
    stream->invalidated = true;
    status = cuda::kStreamCaptureUnsupported;
  }
  return status;
}

int setting(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? static_cast<int>(std::strtol(value, nullptr, 10)) : 0;
}

bool is_twin(const std::string& name) { return name.starts_with(egpu::abi::kInstrumentedPrefix); }

Image scan_image(const std::string& text) {
  constexpr std::string_view kEntry = ".entry ";
  Image image;
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at)) {
    at += kEntry.size();
    image.kernels.push_back(text.substr(at, text.find_first_of("( \n", at) - at));
  }
  const std::string table = std::string(egpu::abi::kProbeTableSymbol) + "[";
  if (const std::size_t at = text.find(table); at != std::string::npos)
    image.table_bytes = std::strtoul(text.c_str() + at + table.size(), nullptr, 10);
  return image;
}

}  // namespace fake_cuda
