#include "inject/configuration.h"

#include <cstdlib>
#include <cstring>

#include "abi/protocol.h"

namespace egpu::inject {
namespace {

constexpr int kLongestWaitMs = 600'000;

const char* copy_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0' ? ::strdup(value) : nullptr;
}

}  // namespace

Configuration read_configuration() {
  Configuration configuration;
  configuration.socket_path = copy_of(abi::kSocketVariable);
  configuration.chained_injection = copy_of(abi::kChainedInjectionVariable);
  if (const char* wait = std::getenv(abi::kMaxWaitVariable); wait != nullptr) {
    const long value = std::strtol(wait, nullptr, 10);
    if (value > 0 && value <= kLongestWaitMs) configuration.max_wait_ms = static_cast<int>(value);
  }
  configuration.debug = std::getenv("EGPU_DEBUG") != nullptr;
  return configuration;
}

}  // namespace egpu::inject
