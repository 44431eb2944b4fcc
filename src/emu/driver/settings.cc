#include "emu/driver/settings.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace egpu::emu::driver {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{4} << 30;
constexpr unsigned kMostDevices = 8;
constexpr unsigned kMostThreads = 1024;

std::uint64_t setting(const char* variable, std::uint64_t otherwise, std::uint64_t least,
                      std::uint64_t most) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && *end == '\0' && value >= least && value <= most) return value;
  say(std::string(variable) + "=" + text + " is no number from " + std::to_string(least) + " to " +
      std::to_string(most) + "; " + std::to_string(otherwise) + " is used");
  return otherwise;
}

std::uint64_t device_memory() {
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(kMostMemory, pages * page / 2);
}

}  // namespace

Settings read_settings() {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return {
      .devices = static_cast<unsigned>(setting("EGPU_EMULATOR_DEVICES", 1, 1, kMostDevices)),
      .workers = static_cast<unsigned>(setting("EGPU_EMULATOR_THREADS", cores, 1, kMostThreads)),
      .budget = setting("EGPU_EMULATOR_BUDGET", 0, 0, UINT64_MAX),
      .memory_bytes = device_memory(),
  };
}

void say(const std::string& text) {
  const std::string line = "egpu emulator: " + text + '\n';
  std::fputs(line.c_str(), stderr);
}

}  // namespace egpu::emu::driver
