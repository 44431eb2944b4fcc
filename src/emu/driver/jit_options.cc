#include "emu/driver/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace egpu::emu::driver {
namespace {

// CUjit_option: CU_JIT_...
constexpr cuda::JitOption kInfoLog = 3;
constexpr cuda::JitOption kInfoLogBytes = 4;
constexpr cuda::JitOption kLast = 34;  // CU_JIT_SPLIT_COMPILE

}  // namespace

cuda::Status JitOptions::read(unsigned count, cuda::JitOption* options, void** values,
                              JitOptions& result) {
  if (count > 0 && (options == nullptr || values == nullptr)) return cuda::kInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] < 0 || options[i] > kLast) return cuda::kInvalidValue;
    Log* log = options[i] == cuda::kJitErrorLog || options[i] == cuda::kJitErrorLogBytes
                   ? &result.error_
                   : nullptr;
    if (options[i] == kInfoLog || options[i] == kInfoLogBytes) log = &result.info_;
    if (log == nullptr) continue;
    if (options[i] == cuda::kJitErrorLog || options[i] == kInfoLog) {
      log->text = static_cast<char*>(values[i]);
    } else {
      log->size = &values[i];
      log->capacity = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i]));
    }
  }
  return cuda::kSuccess;
}

void JitOptions::write(const Log& log, std::string_view text) {
  std::size_t written = 0;
  if (log.text != nullptr && log.capacity > 0) {
    written = std::min(text.size(), log.capacity - 1);
    std::memcpy(log.text, text.data(), written);
    log.text[written] = '\0';
  }
  if (log.size != nullptr)
    *log.size = reinterpret_cast<void*>(written);  // NOLINT(performance-no-int-to-ptr)
}

void JitOptions::log_error(std::string_view text) const { write(error_, text); }

void JitOptions::clear_logs() const {
  write(error_, {});
  write(info_, {});
}

}  // namespace egpu::emu::driver
