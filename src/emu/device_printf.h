// printf of device code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace egpu::emu {

struct PrintfSource {
  // The bytes of an argument; nothing where there are none.
  std::function<std::optional<std::uint64_t>(std::uint64_t offset, unsigned bytes)> argument;
  // The string at an address; nothing where there is none.
  std::function<std::optional<std::string>(std::uint64_t address)> text;
};

struct Printed {
  std::string text;
  std::uint32_t arguments = 0;  // how many were used
};

// Arguments lie one behind the other, each aligned to its size: integers of 4 and 8 bytes, doubles,
// pointers. What is no conversion of C stays as it is. Nothing where an argument is missing.
std::optional<Printed> format_printf(std::string_view format, const PrintfSource& source);

}  // namespace egpu::emu
