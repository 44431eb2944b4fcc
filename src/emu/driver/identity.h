// How emulated devices present themselves, to the driver's callers and to NVML's.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace egpu::emu::driver {

inline constexpr char kDeviceName[] = "egpu emulator";
inline constexpr int kDriverVersion = 13000;  // CUDA 13.0

// No device on a bus of this machine has this domain.
inline constexpr unsigned kPciDomain = 0xffff;
constexpr unsigned pci_bus(int ordinal) { return static_cast<unsigned>(ordinal) + 1; }

// The same for a device whenever and wherever it is emulated.
constexpr std::array<unsigned char, 16> device_uuid(int ordinal) {
  std::array<unsigned char, 16> uuid{};
  const std::string_view text = kDeviceName;
  for (std::size_t i = 0; i < text.size(); ++i) uuid[i] = static_cast<unsigned char>(text[i]);
  uuid.back() = static_cast<unsigned char>(ordinal);
  return uuid;
}

// "65677075-2065-...": digits in groups of 8, 4, 4, 4 and 12.
std::string uuid_text(std::span<const unsigned char, 16> uuid);

}  // namespace egpu::emu::driver
