// The compilers that eBPF objects may come from, as far as this machine has them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace egpu::examples {

// Releases of clang that objects are accepted from and tests try, oldest first.
inline constexpr unsigned kReleases[] = {14, 16, 19, 22};

struct Compiler {
  std::filesystem::path path;
  unsigned release;
  unsigned cpu;  // 3: -mcpu=v3

  [[nodiscard]] std::string name() const;  // "clang-14 -mcpu=v3"
};

// One for each instruction set that an installed release offers.
std::vector<Compiler> compilers();

// Releases that are not installed: "clang-16, clang-19".
std::string missing_compilers();

// Compiles with the flags that README gives to users. Errors hold what the compiler printed.
Result<void> compile(const Compiler& compiler, const std::filesystem::path& source,
                     const std::filesystem::path& object);

}  // namespace egpu::examples
